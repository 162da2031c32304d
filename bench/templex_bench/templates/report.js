"use strict";
// A click on the heading of a column sorts the rows by it: first the highest number, or A to Z; then the other way round.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const headings = Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells);
  const fixed = rows.filter((row) => row.classList.contains("total"));
  const key = (row, index) => {
    const cell = row.cells[index];
    const text = cell.textContent.trim();
    const value = cell.dataset.value;
    return value === undefined ? (text === "\u2013" ? null : text) : Number(value);
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  headings.forEach((heading, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.title = "Sort by this column";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const was = heading.getAttribute("aria-sort");
      const first = heading.classList.contains("number") ? "descending" : "ascending";
      const now = was ? (was === "ascending" ? "descending" : "ascending") : first;
      for (const other of headings) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", now);
      const keyed = rows.filter((row) => !fixed.includes(row)).map((row) => [key(row, index), row]);
      // what has no value comes last either way, and equals stay in the order of the report
      keyed.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null);
        return now === "ascending" ? compare(a, b) : compare(b, a);
      });
      body.append(...keyed.map(([, row]) => row), ...fixed);
    });
  });
}
