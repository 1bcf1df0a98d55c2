// The page's side of the call explorer: picks five cards, asks the kernel, draws what it answers.

const RANKS = "AKQJT98765432";
const NAMES = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten", 9: "nine", 8: "eight", 7: "seven", 6: "six", 5: "five", 4: "four", 3: "three", 2: "two" };
const SUITS = [["S", "♠", "spades"], ["H", "♥", "hearts"], ["D", "♦", "diamonds"], ["C", "♣", "clubs"]];

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function shape(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// The chance to win from 0 to 100 %: a bar, with the interval across its end.
function chart([value, low, high], best) {
  const drawn = shape("svg", { viewBox: "0 0 144 18", "aria-hidden": "true" });
  const x = (chance) => 2 + 140 * chance;
  drawn.append(
    shape("rect", { x: 2, y: 4, width: 140 * value, height: 10, fill: best ? "#0072b2" : "#8fb8d0" }),
    shape("line", { x1: x(0.5), x2: x(0.5), y1: 0, y2: 18, stroke: "currentColor", "stroke-opacity": 0.4 }),
    shape("line", { class: "interval", x1: x(low), x2: x(high), y1: 9, y2: 9, stroke: "#d55e00", "stroke-width": 2 }),
    shape("line", { x1: x(low), x2: x(low), y1: 5, y2: 13, stroke: "#d55e00", "stroke-width": 2 }),
    shape("line", { x1: x(high), x2: x(high), y1: 5, y2: 13, stroke: "#d55e00", "stroke-width": 2 }),
  );
  return drawn;
}

function chooser(name, value, offered, change) {
  const select = element("select");
  for (const text of offered) select.append(new Option(text, text, false, text === value));
  select.value = value;
  select.addEventListener("change", () => change(select.value));
  return [element("label", {}, name + " ", select), select];
}

function render({ model, el }) {
  const root = element("div", { class: "courtpiece-explorer" });
  const buttons = new Map();
  const deck = element("fieldset", { "aria-label": "Pick five cards" });
  for (const [letter, pip, word] of SUITS) {
    const row = element("div", { class: "HD".includes(letter) ? "suit red" : "suit" });
    for (const rank of RANKS) {
      const card = rank + letter;
      const text = (rank === "T" ? "10" : rank) + pip;
      const button = element("button", { type: "button", "aria-label": `${NAMES[rank]} of ${word}`, "data-card": card }, text);
      button.addEventListener("click", () => pick(card));
      buttons.set(card, button);
      row.append(button);
    }
    deck.append(row);
  }
  const keep = (key) => (value) => { model.set(key, value); model.save_changes(); };
  const [rulesLabel, rules] = chooser("Rules", model.get("rules"), model.get("rules_offered"), keep("rules"));
  const [playersLabel, players] = chooser("Players", model.get("players"), model.get("players_offered"), keep("players"));
  const clear = element("button", { type: "button", class: "clear" }, "Clear");
  clear.addEventListener("click", () => keep("cards")([]));
  const verdict = element("p", { class: "verdict", "aria-live": "polite" });
  const table = element("table");
  const told = element("p", { class: "told" });
  root.append(deck, element("div", { class: "choices" }, rulesLabel, playersLabel, clear), verdict, table, told);
  el.append(root);

  let number = 0;                       // of the question that is open; answers to older ones come too late

  function pick(card) {
    const picked = model.get("cards");
    if (picked.includes(card)) keep("cards")(picked.filter((other) => other !== card));
    else if (picked.length < 5) keep("cards")([...picked, card]);
  }

  function ask(deals) {
    number += 1;
    table.setAttribute("aria-busy", deals === 0);
    model.send({ number, deals, cards: model.get("cards"), rules: model.get("rules"), players: model.get("players") });
  }

  function changed() {
    const picked = model.get("cards");
    for (const [card, button] of buttons) {
      button.setAttribute("aria-pressed", picked.includes(card));
      button.disabled = picked.length >= 5 && !picked.includes(card);
    }
    rules.value = model.get("rules");
    players.value = model.get("players");
    if (picked.length === 5) { ask(0); return; }
    number += 1;
    const missing = 5 - picked.length;
    show({ verdict: `Pick ${missing} more card${missing === 1 ? "" : "s"}.`, head: [], rows: [], told: "" });
  }

  function show({ verdict: said, head, rows, told: how }) {
    verdict.textContent = said;
    told.textContent = how;
    table.setAttribute("aria-busy", "false");
    table.replaceChildren();
    if (!rows.length) return;
    const heads = ["call", "chance to win", ...head].map((text) => element("th", { scope: "col" }, text));
    table.append(element("thead", {}, element("tr", {}, ...heads)));
    table.append(element("tbody", {}, ...rows.map((row) => element("tr", row.best ? { class: "best" } : {},
      element("td", {}, row.label), element("td", { class: "chart" }, chart(row.win, row.best)),
      ...row.cells.map((cell) => element("td", {}, cell))))));
  }

  function answered(reply) {
    if (reply.number !== number) return;
    if (reply.error) { show({ verdict: reply.error, head: [], rows: [], told: "" }); return; }
    show(reply);
    if (reply.next) ask(reply.next);
  }

  model.on("msg:custom", answered);
  for (const key of ["cards", "rules", "players"]) model.on(`change:${key}`, changed);
  changed();
  return () => {
    model.off("msg:custom", answered);
    for (const key of ["cards", "rules", "players"]) model.off(`change:${key}`, changed);
  };
}

export default { render };
