"use strict";
// No content of the page becomes markup here: it is read with getAttribute and written with textContent. Properties are
// read through the prototypes, because an id in the page can shadow a property of a form or of the document.
(() => {
  const data = JSON.parse(document.getElementById("reasons").textContent);
  const stage = document.getElementById("stage");
  const first = document.getElementById("page");
  const buttons = [...document.querySelectorAll("[data-mode]")];
  const styles = document.getElementById("styles");
  const names = { removed: "removed", kept: "template, kept", own: "kept" };
  const frames = [first];
  const removedStyles = new WeakMap();
  let mode = "marked";
  let shown = null;
  let pinned = false;

  const get = (element, name) => Element.prototype.getAttribute.call(element, name);
  const put = (element, name, value) => Element.prototype.setAttribute.call(element, name, value);
  const drop = (element, name) => Element.prototype.removeAttribute.call(element, name);
  const read = (element, property) => Reflect.get(Element.prototype, property, element);
  const up = (element) => Reflect.get(Node.prototype, "parentElement", element);
  const root = (frame) => frame.contentDocument && frame.contentDocument.documentElement;
  const isReady = (frame) => Boolean(root(frame)) && get(root(frame), "data-templex-mode") !== null;

  function nodeOf(target) {
    return target instanceof target.ownerDocument.defaultView.Element
      ? Element.prototype.closest.call(target, "[data-templex]")
      : null;
  }

  function pathOf(node) {
    const steps = [];
    for (let at = node; at && steps.length < 5; at = up(at)) {
      const name = read(at, "localName");
      if (name === "templex-text") continue;
      const id = get(at, "id");
      const className = (get(at, "class") || "").trim().split(/\s+/)[0];
      steps.unshift(name + (id ? `#${id}` : className ? `.${className}` : ""));
      if (name === "body") break;
    }
    return steps.join(" > ") + (read(node, "localName") === "templex-text" ? " > text" : "");
  }

  function partOf(node) {
    for (let at = node; at; at = up(at)) {
      const part = get(at, "data-templex-part");
      if (part) return part;
    }
    return null;
  }

  function readable(url) {
    try {
      return decodeURI(url);
    } catch {
      return url;
    }
  }

  function explain(node) {
    if (shown) drop(shown, "data-templex-hover");
    shown = node;
    if (!node) return;
    put(node, "data-templex-hover", "");
    const reason = data.reasons[data.nodes[Number(get(node, "data-templex"))]];
    const fate = document.getElementById("fate");
    document.getElementById("verdict").hidden = false;
    fate.textContent = names[reason.fate];
    put(fate, "data-fate", reason.fate);
    document.getElementById("path").textContent = pathOf(node);
    const part = partOf(node);
    document.getElementById("reason").textContent = reason.text + (part ? ` In the main ${part}.` : "");
    const votes = document.getElementById("votes");
    votes.replaceChildren(...data.pages.map((url, index) => {
      const item = document.createElement("li");
      item.textContent = readable(url);
      put(item, "data-vote", String(reason.votes[index]));
      put(item, "title", `${url}: ${["no such node", "same position", "same position and content"][reason.votes[index]]}`);
      return item;
    }));
  }

  function show(wanted) {
    mode = wanted;
    for (const button of buttons) put(button, "aria-pressed", String(get(button, "data-mode") === mode));
    if (mode === "split" && frames.length === 1) addSecond();
    if (frames[1]) frames[1].hidden = mode !== "split";
    put(stage, "data-mode", mode);
    paint();
    noteMenu();
    if (mode === "split" && isReady(frames[1])) follow(first, frames[1]);
  }

  function paint() {
    for (const [index, frame] of frames.entries()) {
      if (isReady(frame)) put(root(frame), "data-templex-mode", mode === "split" ? ["template", "content"][index] : mode);
    }
  }

  function addSecond() {
    const frame = document.createElement("iframe");
    frame.title = "The page without its template";
    put(frame, "sandbox", "allow-same-origin");
    frame.addEventListener("load", () => prepare(frame));
    frame.srcdoc = first.srcdoc.replace('data-templex-mode="marked"', 'data-templex-mode="content"');
    frames.push(frame);
    stage.append(frame);
  }

  function follow(leader, follower) {
    const { scrollX, scrollY } = leader.contentWindow;
    const other = follower.contentWindow;
    if (Math.abs(other.scrollX - scrollX) > 1 || Math.abs(other.scrollY - scrollY) > 1) {
      other.scrollTo({ left: scrollX, top: scrollY, behavior: "instant" });
    }
  }

  function colourOf(written) {
    const [red, green, blue, alpha = 1] = (written.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
    const brightness = 0.3 * red + 0.6 * green + 0.1 * blue;
    return { alpha, isSeen: alpha > 0, isDark: brightness < 128 };
  }

  function hasPicture(look) {
    return /\(/.test(look.backgroundImage);
  }

  // "dark" or "light": the nearest ground of an element. Of a picture the colour of the text tells which.
  function groundOf(doc, element) {
    for (let at = element; at; at = up(at)) {
      const look = doc.defaultView.getComputedStyle(at);
      if (hasPicture(look)) return colourOf(look.color).isDark ? "light" : "dark";
      const ground = colourOf(look.backgroundColor);
      if (ground.isSeen) return ground.isDark ? "dark" : "light";
    }
    return "light";
  }

  // The tint is drawn on the ground of an element. Elements inside that have a ground of their own need a tint of their
  // own, and on a dark ground it has to be stronger.
  function tintGrounds(doc) {
    for (const inside of doc.querySelectorAll("[data-templex-root], [data-templex-root] *")) {
      const look = doc.defaultView.getComputedStyle(inside);
      const hasGround = hasPicture(look) || colourOf(look.backgroundColor).isSeen;
      if (hasGround || get(inside, "data-templex-root") !== null) put(inside, "data-templex-ground", groundOf(doc, inside));
    }
  }

  // A menu may open on a click only, or be there for narrow windows only.
  function isSeen(element) {
    const look = element.ownerDocument.defaultView.getComputedStyle(element);
    const { width, height, right, bottom } = Element.prototype.getBoundingClientRect.call(element);
    const { scrollX, scrollY } = element.ownerDocument.defaultView;
    const isShown = look.visibility === "visible" && look.opacity !== "0";
    return isShown && width > 1 && height > 1 && right + scrollX > 0 && bottom + scrollY > 0;
  }

  function noteMenu() {
    if (!isReady(first)) return;
    const menu = first.contentDocument.querySelector('[data-templex-part="menu"]');
    document.getElementById("menu").hidden = !menu || mode !== "marked" || isSeen(menu);
  }

  // The attributes "style" and "hidden" are switched off too: they may hide what a script of the page would show.
  function useStyles(some = frames) {
    const on = isStyled();
    for (const frame of some.filter(isReady)) {
      const doc = frame.contentDocument;
      for (const [index, sheet] of [...doc.styleSheets].entries()) sheet.disabled = index > 0 && !on;
      if (on) {
        for (const [element, name, value] of removedStyles.get(doc) || []) put(element, name, value);
        removedStyles.delete(doc);
      } else if (!removedStyles.has(doc)) {
        const found = ["style", "hidden"].flatMap((name) =>
          [...doc.querySelectorAll(`[${name}]`)].map((element) => [element, name, get(element, name)]));
        for (const [element, name] of found) drop(element, name);
        removedStyles.set(doc, found);
      }
    }
  }

  function isStyled() {
    return get(styles, "aria-pressed") === "true";
  }

  // The opacity of elements, 0 to 1, with that of their ancestors.
  function opacities(doc) {
    const known = new Map([[null, 1]]);
    return function of(element) {
      if (!known.has(element)) {
        const look = doc.defaultView.getComputedStyle(element);
        known.set(element, look.display === "none" ? 0 : of(up(element)) * Number(look.opacity));
      }
      return known.get(element);
    };
  }

  function isBlank(doc, opacity) {
    const texts = doc.createTreeWalker(doc.body, NodeFilter.SHOW_TEXT);
    let all = 0;
    let seen = 0;
    while (texts.nextNode()) {
      const holder = up(texts.currentNode);
      const length = texts.currentNode.data.trim().length;
      const isVisible = doc.defaultView.getComputedStyle(holder).visibility === "visible";
      all += length;
      if (isVisible && opacity(holder) > 0.1) seen += length;
    }
    return seen < all / 10;
  }

  function isCover(element, doc, opacity) {
    const look = doc.defaultView.getComputedStyle(element);
    const { left, top, right, bottom } = Element.prototype.getBoundingClientRect.call(element);
    const { innerWidth, innerHeight } = doc.defaultView;
    const isLaidOver = ["fixed", "absolute"].includes(look.position) && opacity(element) > 0.9;
    const isLarge = left < 2 && top < 2 && right > innerWidth - 20 && bottom > innerHeight - 2;
    return isLaidOver && isLarge && textOf(element).length < textOf(doc.body).length / 2;
  }

  function textOf(element) {
    return Reflect.get(Node.prototype, "textContent", element).trim();
  }

  // Whether the first opaque element at a point is part of a cover, and whether there is text under it; null: no cover.
  function coverAt(x, y, doc, opacity) {
    const there = doc.elementsFromPoint(x, y).filter((element) => opacity(element) > 0.1);
    const isGround = (element) => {
      const look = doc.defaultView.getComputedStyle(element);
      return hasPicture(look) || colourOf(look.backgroundColor).alpha > 0.9;
    };
    const at = there.findIndex((element) => isGround(element) && opacity(element) > 0.9);
    let cover = at < 0 ? null : there[at];
    while (cover && !isCover(cover, doc, opacity)) cover = up(cover);
    if (!cover) return null;
    const holds = (holder, held) => Node.prototype.contains.call(holder, held);
    if (!there.slice(0, at).every((element) => holds(cover, element))) return null;
    const isUnder = (element) => !holds(element, cover) && !holds(cover, element) && textOf(element);
    return { hidesWords: there.slice(at + 1).some(isUnder) };
  }

  function isCovered(doc, opacity) {
    const { innerWidth, innerHeight } = doc.defaultView;
    const steps = [1, 3, 5, 7].map((step) => step / 8);
    const covers = steps.flatMap((x) => steps.map((y) => coverAt(x * innerWidth, y * innerHeight, doc, opacity)));
    return covers.every(Boolean) && covers.some((cover) => cover.hidesWords);
  }

  // Some pages are blank or covered until their scripts run, which they do not here.
  function noteHiding() {
    if (!isReady(first)) return;
    const doc = first.contentDocument;
    put(root(first), "data-templex-mode", "original");
    put(root(first), "data-templex-probe", "");
    const opacity = opacities(doc);
    const hides = isStyled() && (isBlank(doc, opacity) || isCovered(doc, opacity));
    drop(root(first), "data-templex-probe");
    paint();
    document.getElementById("hides").hidden = !hides;
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    const button = buttons.find((one) => get(one, "aria-keyshortcuts").split(" ").includes(key));
    if (button) show(get(button, "data-mode"));
    else if (key === "p") styles.click();
    else if (key === "escape") pinned = false;
    else return;
    event.preventDefault();
  }

  function isField(target) {
    return ["input", "textarea", "select", "option"].includes(Reflect.get(Node.prototype, "nodeName", target).toLowerCase());
  }

  // WebKit calls no listener in a frame without scripts, not even ours: there, tooltips give the reasons.
  function hearsEvents(doc) {
    let heard = false;
    doc.addEventListener("templex", () => { heard = true; }, { once: true });
    doc.dispatchEvent(new Event("templex"));
    return heard;
  }

  function addTooltips(doc) {
    for (const node of doc.querySelectorAll("[data-templex]")) {
      const reason = data.reasons[data.nodes[Number(get(node, "data-templex"))]];
      put(node, "title", `${names[reason.fate]}: ${reason.text}`);
    }
  }

  function listen(frame) {
    const doc = frame.contentDocument;
    const here = (event) => nodeOf(event.target);
    doc.addEventListener("pointerover", (event) => { if (!pinned && here(event)) explain(here(event)); });
    doc.addEventListener("focusin", (event) => { if (here(event)) explain(here(event)); });
    doc.addEventListener("click", (event) => {
      event.preventDefault();
      const node = here(event);
      pinned = Boolean(node) && !(pinned && node === shown);
      explain(node);
    }, true);
    for (const name of ["submit", "auxclick", "dragstart"]) {
      doc.addEventListener(name, (event) => event.preventDefault(), true);
    }
    // fields of the page take no input: keys are those of the view
    doc.addEventListener("mousedown", (event) => { if (isField(event.target)) event.preventDefault(); }, true);
    doc.addEventListener("beforeinput", (event) => event.preventDefault(), true);
    doc.addEventListener("keydown", (event) => {
      onKey(event);
      const types = event.key.length === 1 || /^(Arrow|Page|Home|End|Enter|Delete|Back)/.test(event.key);
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (types && isPlain && isField(event.target)) event.preventDefault();
    });
    doc.addEventListener("animationend", noteHiding);
    doc.addEventListener("scroll", () => {
      const other = frames.find((one) => one !== frame);
      if (mode === "split" && other && isReady(other)) follow(frame, other);
    });
  }

  // The tab key moves from part to part of the template, not from link to link.
  function setTabStops(doc) {
    for (const element of doc.querySelectorAll("a, area, button, input, select, textarea, summary, audio, video, details")) {
      put(element, "tabindex", "-1");
    }
    for (const part of doc.querySelectorAll("[data-templex-root], [data-templex-part]")) put(part, "tabindex", "0");
  }

  function prepare(frame) {
    if (!isReady(frame)) return;
    setTabStops(frame.contentDocument);
    useStyles([frame]);
    tintGrounds(frame.contentDocument);
    if (hearsEvents(frame.contentDocument)) listen(frame);
    else addTooltips(frame.contentDocument);
    paint();
    noteMenu();
    if (frame === first) noteHiding();
    if (frame !== first) follow(first, frame);
    put(frame, "data-ready", "");
  }

  for (const button of buttons) button.addEventListener("click", () => show(get(button, "data-mode")));
  styles.addEventListener("click", () => {
    put(styles, "aria-pressed", String(get(styles, "aria-pressed") !== "true"));
    useStyles();
    noteMenu();
    noteHiding();
  });
  window.addEventListener("resize", noteMenu);
  window.addEventListener("resize", noteHiding);
  document.addEventListener("keydown", onKey);
  first.addEventListener("load", () => prepare(first));
  if (isReady(first) && first.contentDocument.readyState === "complete") prepare(first);
})();
