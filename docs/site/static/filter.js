// Pages with long tables get a line above the first of them: words that a row must have, columns to leave out, and rows in which columns
// differ. Tables and headings without a row that is left are hidden, and the page's address keeps the words.
document.addEventListener("DOMContentLoaded", () => {
  const LONG = 100;
  const tables = [...document.querySelectorAll("article table.docutils")];
  const rows = tables.flatMap(table => [...table.querySelectorAll("tbody tr")].map(row => ({row, table, text: row.textContent.toLowerCase()})));
  if (rows.length < LONG) return;

  const bar = document.createElement("form");
  bar.id = "filter";
  bar.setAttribute("role", "search");
  bar.innerHTML = '<label>rows with <input type="search" placeholder="words"></label> <output></output>';
  const words = bar.querySelector("input"), count = bar.querySelector("output");
  bar.addEventListener("submit", event => event.preventDefault());

  // Tables of the same columns, such as devices: those columns can be hidden and compared.
  const names = table => [...table.querySelectorAll("thead th")].map(cell => cell.textContent.trim());
  const tally = new Map();
  for (const table of tables) tally.set(names(table).join("\t"), (tally.get(names(table).join("\t")) || 0) + 1);
  const [most, uses] = [...tally].sort((a, b) => b[1] - a[1])[0];
  const shared = tables.filter(table => uses > 2 && names(table).join("\t") === most);
  const devices = shared.length ? most.split("\t").slice(2) : [];
  const boxes = [];
  let differing = null;
  if (devices.length > 1) {
    const add = (text, checked) => {
      const label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox";
      box.checked = checked;
      label.append(box, ` ${text}`);
      bar.append(label);
      return box;
    };
    differing = add("only where columns that are shown differ", false);
    for (const name of devices) boxes.push(add(name, true));
  }

  const differs = row => {
    const texts = [...row.cells].slice(2).filter((_, i) => boxes[i].checked).map(cell => cell.textContent.trim());
    return new Set(texts).size > 1;
  };
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isShared = new Set(shared);
    let left = 0;
    for (const {row, table, text} of rows) {
      row.hidden = !wanted.every(word => text.includes(word)) || Boolean(differing?.checked && !(isShared.has(table) && differs(row)));
      left += !row.hidden;
    }
    for (const table of shared)
      for (const row of table.rows)
        boxes.forEach((box, i) => row.cells[i + 2] && (row.cells[i + 2].hidden = !box.checked));
    const filtered = left < rows.length;
    for (const table of tables) (table.closest(".table-wrapper") || table).hidden = ![...table.querySelectorAll("tbody tr")].some(row => !row.hidden);
    for (const section of document.querySelectorAll("article section section")) {
      const own = tables.filter(table => section.contains(table));
      section.hidden = filtered && own.length > 0 && own.every(table => (table.closest(".table-wrapper") || table).hidden);
    }
    count.value = `${left} of ${rows.length} rows`;
    const query = words.value ? `?rows=${encodeURIComponent(words.value)}` : location.pathname;
    try { history.replaceState(null, "", query + location.hash); } catch { /* Files of some browsers have no history. */ }
  };
  bar.addEventListener("input", apply);
  words.value = new URLSearchParams(location.search).get("rows") || "";
  const first = tables[0].closest(".table-wrapper") || tables[0];
  first.before(bar);
  apply();
});
