// Draws the graph that the list beside it says in words; without it, or without WebGL, the list stands alone.
"use strict";
(() => {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const one = (selector, within = document) => within.querySelector(selector);
  let drawing = null;

  // --- colours: the style sheet's own, read from the legend
  const colourOf = (selector) => getComputedStyle(one(selector) ?? document.body).color;
  const readColours = () => {
    const found = {};
    for (const each of document.querySelectorAll("[data-colour]")) found[each.dataset.colour] = getComputedStyle(each).color;
    return { types: found, line: colourOf("#graph-line"), pale: colourOf("#graph-pale"), near: colourOf("#graph-near"), ink: colourOf("#graph"), paper: getComputedStyle(document.body).backgroundColor };
  };

  // --- the picture
  // A neighbourhood fills the canvas as it is; the whole brain keeps its round form.
  const build = (data, canvas) => {
    const graph = new graphology.MultiDirectedGraph();
    const wide = data.points.length > 100 ? 1 : Math.min(1.6, Math.max(0.6, canvas.clientWidth / canvas.clientHeight));
    for (const each of data.points) graph.addNode(each.key, { x: each.x * wide, y: -each.y, size: each.size, label: each.title, about: each });
    for (const [source, target, said, isPale] of data.lines) graph.addEdge(data.points[source].key, data.points[target].key, { said, isPale });
    return graph;
  };

  const label = (context, data, settings) => {
    if (!data.label) return;
    const room = drawing.canvas.clientWidth;
    const most = room < 600 ? 22 : 40;
    const shown = data.label.length > most ? data.label.slice(0, most - 1) + "…" : data.label;
    const weight = data.highlighted ? 600 : 450;
    context.font = `${weight} ${settings.labelSize}px ${settings.labelFont}`;
    // On the left half a label stands on the left, away from the lines; its halo keeps it readable over them.
    const reach = context.measureText(shown).width + data.size + 4;
    const isLeft = data.x < room / 2 - 1 ? data.x > reach : data.x + reach > room;
    const left = data.x + (data.size + 4) * (isLeft ? -1 : 1);
    context.textAlign = isLeft ? "right" : "left";
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = drawing.colours.paper;
    context.strokeText(shown, left, data.y + settings.labelSize / 3);
    context.fillStyle = drawing.colours.ink;
    context.fillText(shown, left, data.y + settings.labelSize / 3);
  };

  const ring = (context, data, settings) => {
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, Math.PI * 2);
    context.lineWidth = 2;
    context.strokeStyle = drawing.colours.ink;
    context.stroke();
    label(context, data, settings);
  };

  const settings = () => ({
    labelFont: getComputedStyle(document.body).fontFamily,
    labelSize: 12,
    // On a phone there is room for the largest alone; nearer, the others come.
    labelRenderedSizeThreshold: drawing.canvas.clientWidth < 600 ? 8 : 4,
    labelDensity: drawing.graph.order > 100 || drawing.canvas.clientWidth < 600 ? 0.7 : 1,
    labelGridCellSize: drawing.graph.order > 100 || drawing.canvas.clientWidth < 600 ? 130 : 70,
    stagePadding: drawing.canvas.clientWidth > 600 ? 60 : 24,
    zIndex: true,
    minEdgeThickness: 0.6,
    hideEdgesOnMove: drawing.graph.order > 800,
    defaultDrawNodeLabel: label,
    defaultDrawNodeHover: ring,
    nodeReducer: (key, data) => {
      const isChosen = key === drawing.chosen;
      const isNear = isChosen || drawing.near.has(key);
      return {
        ...data,
        color: drawing.colours.types[data.about.colour] ?? drawing.colours.ink,
        highlighted: isChosen,
        forceLabel: isChosen || (isNear && drawing.near.size <= 8),
        zIndex: isChosen ? 2 : isNear ? 1 : 0,
      };
    },
    edgeReducer: (key, data) => {
      const isNear = drawing.graph.extremities(key).includes(drawing.chosen);
      return {
        ...data,
        size: isNear ? 1.6 : 1,
        color: isNear ? drawing.colours.near : data.isPale ? drawing.colours.pale : drawing.colours.line,
        zIndex: isNear ? 1 : 0,
      };
    },
  });

  // --- choosing a note, by pointer or by keys
  const say = (key) => {
    const about = drawing.graph.getNodeAttribute(key, "about");
    const place = one("#graph-chosen");
    if (!place) return;
    const link = document.createElement("a");
    link.href = about.href;
    link.textContent = about.title;
    const words = document.createElement("span");
    words.className = "quiet-text";
    const said = drawing.graph.edges(key).slice(0, 3).map((edge) => {
      const [source, target] = drawing.graph.extremities(edge);
      const other = drawing.graph.getNodeAttribute(source === key ? target : source, "label");
      return `${source === key ? "→" : "←"} ${drawing.graph.getEdgeAttribute(edge, "said")} ${other}`;
    });
    words.textContent = [about.said, ...said].join(" · ");
    place.replaceChildren(link, " ", words);
  };

  const choose = (key) => {
    drawing.chosen = key;
    drawing.near = new Set(drawing.graph.neighbors(key));
    drawing.picture.refresh({ skipIndexation: true });
    say(key);
  };

  const place = (key) => {
    const { x, y } = drawing.graph.getNodeAttributes(key);
    return drawing.picture.graphToViewport({ x, y });
  };

  // The neighbour that stands most nearly in a direction, else whatever stands there.
  const towards = (dx, dy) => {
    const from = place(drawing.chosen);
    let best = null;
    for (const keys of [drawing.near, drawing.graph.nodes()]) {
      for (const key of keys) {
        if (key === drawing.chosen) continue;
        const to = place(key);
        const [x, y] = [to.x - from.x, to.y - from.y];
        const far = Math.hypot(x, y) || 1;
        const turn = (x * dx + y * dy) / far;
        if (turn > 0.5 && (!best || far / turn < best.cost)) best = { key, cost: far / turn };
      }
      if (best) return best.key;
    }
    return null;
  };

  const inView = (key) => {
    const at = place(key);
    const box = drawing.canvas.getBoundingClientRect();
    if (at.x > 20 && at.y > 20 && at.x < box.width - 20 && at.y < box.height - 20) return;
    const { x, y } = drawing.picture.getNodeDisplayData(key);
    move({ x, y });
  };

  const move = (state) => {
    const camera = drawing.picture.getCamera();
    if (calm.matches) camera.setState({ ...camera.getState(), ...state });
    else camera.animate(state, { duration: 220 });
  };

  const zoom = (factor) => move({ ratio: Math.min(8, Math.max(0.02, drawing.picture.getCamera().ratio * factor)) });
  const whole = () => move({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  const keys = {
    ArrowUp: () => step(0, -1), ArrowDown: () => step(0, 1), ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0),
    Enter: () => location.assign(drawing.graph.getNodeAttribute(drawing.chosen, "about").href),
    "+": () => zoom(0.7), "=": () => zoom(0.7), "-": () => zoom(1.4), 0: whole,
  };
  const step = (dx, dy) => {
    const key = towards(dx, dy);
    if (key === null) return;
    choose(key);
    inView(key);
  };

  const press = (event) => {
    const known = keys[event.key];
    if (!known || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    known();
  };

  // --- coming and going
  const end = () => {
    drawing?.picture?.kill();
    drawing = null;
  };

  const repaint = () => {
    if (!drawing?.picture) return;
    drawing.colours = readColours();
    drawing.picture.refresh();
  };

  const start = async () => {
    const canvas = one("[data-graph]");
    if (!canvas || drawing?.canvas === canvas) return;
    end();
    const mine = { canvas, near: new Set(), chosen: null, picture: null };
    drawing = mine;
    try {
      const answer = await fetch(canvas.dataset.graph, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(answer.status);
      const data = await answer.json();
      if (drawing !== mine || !canvas.isConnected || !data.points.length) return;
      mine.graph = build(data, canvas);
      mine.colours = readColours();
      [mine.chosen] = mine.graph.nodes();
      mine.near = new Set(mine.graph.neighbors(mine.chosen));
      mine.picture = new Sigma(mine.graph, canvas, settings());
      mine.picture.on("clickNode", ({ node }) => choose(node));
      mine.picture.on("doubleClickNode", ({ node, event }) => { event.preventSigmaDefault(); choose(node); keys.Enter(); });
      mine.picture.on("enterNode", () => { canvas.dataset.over = ""; });
      mine.picture.on("leaveNode", () => { delete canvas.dataset.over; });
      canvas.addEventListener("keydown", press);
      say(mine.chosen);
      performance.mark("graph-drawn");
      canvas.dataset.drawn = String(mine.graph.order);
    } catch {
      if (drawing === mine) drawing = null;
      canvas.closest(".graph-picture")?.setAttribute("hidden", "");
    }
  };

  document.addEventListener("click", (event) => {
    const way = event.target.closest("[data-zoom]")?.dataset.zoom;
    if (way && drawing?.picture) keys[way]();
  });
  document.addEventListener("htmx:beforeSwap", (event) => { if (event.detail.target?.id === "graph") end(); });
  document.addEventListener("htmx:afterSettle", start);
  dark.addEventListener("change", repaint);
  new MutationObserver(repaint).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  start();
})();
