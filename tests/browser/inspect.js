// What a reader sees of a page, as data: every text that is shown, with its place and colour, what overlaps or leaves its picture or
// its cell, and what was loaded. Runs in the page; it returns JSON, as drivers are slow with objects.
const shown = element => {
  for (let e = element; e instanceof Element; e = e.parentElement) {
    const style = getComputedStyle(e);
    if (style.display === 'none' || style.visibility !== 'visible') return false;
  }
  return true;
};
// The part of a rectangle that boxes with scroll bars leave of it.
const clip = (rect, element) => {
  let box = {left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom};
  for (let e = element; e && e !== document.documentElement && e !== document.body; e = e.parentElement) {
    if (e instanceof SVGElement && !(e instanceof SVGSVGElement)) continue;
    if (getComputedStyle(e).overflow === 'visible') continue;
    const outer = e.getBoundingClientRect();
    box = {left: Math.max(box.left, outer.left), top: Math.max(box.top, outer.top),
           right: Math.min(box.right, outer.right), bottom: Math.min(box.bottom, outer.bottom)};
  }
  return box;
};
const texts = [], wrong = [];
const inner = (a, b, slack) => a.left >= b.left - slack && a.right <= b.right + slack && a.top >= b.top - slack && a.bottom <= b.bottom + slack;
const name = text => JSON.stringify(text.trim().slice(0, 60));
const add = (text, rect, element, color) => {
  const box = clip(rect, element);
  if (box.right - box.left > 2 && box.bottom - box.top > 4)
    texts.push({text, color, left: box.left + scrollX, top: box.top + scrollY, right: box.right + scrollX, bottom: box.bottom + scrollY});
};
for (const svg of document.documentElement instanceof SVGSVGElement ? [document.documentElement] : document.querySelectorAll('svg[role=img]')) {
  const outer = svg.getBoundingClientRect(), boxes = [];
  for (const text of svg.querySelectorAll('text')) {
    if (!text.textContent.trim() || !shown(text)) continue;
    const rect = text.getBoundingClientRect();
    if (!inner(rect, outer, 0.5)) wrong.push(`${name(text.textContent)} leaves its picture`);
    const cell = text.closest('g.c') && text.parentElement.querySelector('rect');
    if (cell && !inner(rect, cell.getBoundingClientRect(), 0.5)) wrong.push(`${name(text.textContent)} leaves its cell`);
    boxes.push({rect, text: text.textContent});
    add(text.textContent, rect, text, getComputedStyle(text).fill);
  }
  boxes.sort((a, b) => a.rect.top - b.rect.top);
  for (let i = 0; i < boxes.length; ++i)
    for (let j = i + 1; j < boxes.length && boxes[j].rect.top < boxes[i].rect.bottom; ++j) {
      const a = boxes[i].rect, b = boxes[j].rect;
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 3) wrong.push(`${name(boxes[i].text)} and ${name(boxes[j].text)} overlap`);
    }
}
if (document.body) {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element instanceof SVGElement || ['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(element.tagName) || !shown(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) add(node.data, rect, element, getComputedStyle(element).color);
  }
}
return JSON.stringify({texts, wrong: [...new Set(wrong)], loads: performance.getEntriesByType('resource').map(entry => entry.name),
        width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight});
