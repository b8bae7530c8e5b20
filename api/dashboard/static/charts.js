// Draws the timelines with uPlot over the server's own drawing, which stays for readers without scripts.

import { moment, number, usd } from "./figures.js";

const charts = new Map();
const LEAST_HEIGHT = 210;
const LABEL_ROOM = 28; // half of the widest time label, which stands around the last instant

export function drawAll() {
  for (const [id, chart] of charts) {
    if (!document.getElementById(id)) {
      chart.plot.destroy();
      charts.delete(id);
    }
  }
  for (const figure of document.querySelectorAll("figure.timeline")) draw(figure);
}

export function redrawAll() {
  for (const chart of charts.values()) chart.plot.destroy();
  charts.clear();
  drawAll();
}

function draw(figure) {
  const text = figure.querySelector("script.points").textContent;
  const points = JSON.parse(text);
  const shape = points.series.map((each) => each.name).join("\n");
  const chart = charts.get(figure.id);
  if (chart && chart.shape === shape && chart.figure === figure) {
    if (chart.text !== text) {
      chart.text = text;
      chart.marks = points.marks;
      chart.plot.setData(columns(points));
      readOut(chart.plot, figure, points.series, figure.dataset.unit);
    }
    return;
  }
  if (chart) chart.plot.destroy();
  charts.set(figure.id, make(figure, points, shape, text));
}

const columns = (points) => [points.at_s, ...points.series.map((each) => each.values)];

function make(figure, points, shape, text) {
  const holder = figure.querySelector(".drawn");
  const chart = { figure, shape, text, marks: points.marks, plot: null };
  figure.dataset.live = "";
  chart.plot = new uPlot(options(figure, holder, points, chart), columns(points), holder);
  new ResizeObserver(() => {
    if (charts.get(figure.id) !== chart || !holder.clientWidth) return;
    const size = sizeOf(holder);
    if (size.width !== chart.plot.width || size.height !== chart.plot.height) chart.plot.setSize(size);
  }).observe(holder);
  return chart;
}

const LABEL_GAP = 6;

// As wide as the longest label: the dollars of a cheap job have many digits.
function axisWidth(plot, labels, index) {
  plot.ctx.font = plot.axes[index].font[0];
  const widths = (labels ?? []).map((label) => plot.ctx.measureText(label).width / devicePixelRatio);
  return Math.ceil(Math.max(0, ...widths)) + 2 * LABEL_GAP;
}

const sizeOf = (holder) => ({ width: holder.clientWidth || 300, height: Math.max(holder.clientHeight, LEAST_HEIGHT) });

function options(figure, holder, points, chart) {
  const unit = figure.dataset.unit;
  const isElapsed = "elapsed" in figure.dataset;
  const ink = colour("muted", holder);
  const line = colour("line", holder);
  // A whole number of pixels: uPlot takes the digits before `px` alone for the size.
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: "12px InterVariable, system-ui, sans-serif" };
  return {
    ...sizeOf(holder),
    tzDate: (at_s) => uPlot.tzDate(new Date(at_s * 1000), "Etc/UTC"),
    legend: { show: false },
    padding: [chart.marks.length ? 22 : 8, LABEL_ROOM, 0, 0],
    cursor: { y: false, points: { size: 7 } },
    scales: { x: { time: !isElapsed }, y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] } },
    axes: [
      { ...axis, values: isElapsed ? ELAPSED : TIMES, incrs: STEPS, space: 62, size: 38, gap: LABEL_GAP },
      { ...axis, size: axisWidth, gap: LABEL_GAP, values: (_plot, ticks) => ticks.map((tick) => written(unit, tick)) },
    ],
    series: [{}, ...points.series.map((each) => seriesOptions(each, holder))],
    hooks: {
      draw: [(plot) => drawMarks(plot, chart, holder)],
      setCursor: [(plot) => readOut(plot, figure, points.series, unit)],
    },
  };
}

const TIMES = [
  [86400, "{D} {MMM}", null, null, null, null, null, null, 1],
  [3600, "{HH}:{mm}", "\n{D} {MMM}", null, "\n{D} {MMM}", null, null, null, 1],
  [60, "{HH}:{mm}", null, null, null, null, null, null, 1],
  [1, "{HH}:{mm}:{ss}", null, null, null, null, null, null, 1],
];

// Seconds since a beginning: whole days, hours or minutes, or with the next unit behind a colon.
const UNITS = [[86400, 3600, "d"], [3600, 60, "h"], [60, 1, "min"]];

function elapsed(seconds) {
  const [size, next, name] = UNITS.find(([each]) => seconds >= each) ?? [1, 1, "s"];
  const rest = Math.floor((seconds % size) / next);
  const whole = Math.floor(seconds / size);
  if (name === "d") return rest ? `${whole} d ${rest} h` : `${whole} d`;
  return rest ? `${whole}:${String(rest).padStart(2, "0")} ${name}` : `${whole} ${name}`;
}

const ELAPSED = (_plot, ticks) => ticks.map(elapsed);

// Seconds between two labels: shorter steps would have the same label twice.
const STEPS = [1, 5, 10, 30, ...[1, 2, 5, 10, 30].map((each) => each * 60), ...[1, 2, 6, 12, 24, 48, 120, 240, 720, 2160].map((each) => each * 3600)];

function seriesOptions(each, holder) {
  const stroke = colour(each.tone, holder);
  const isFilled = ["rate", "earlier", "money"].includes(each.tone);
  return {
    stroke,
    width: each.is_dashed ? 1.4 : 1.8,
    dash: each.is_dashed ? [5, 4] : undefined,
    fill: isFilled ? fade(stroke) : undefined,
    points: { show: false, filter: alone, size: 5 },
    spanGaps: false,
  };
}

// What stands between two gaps has no line: it is drawn as a point.
function alone(plot, index) {
  const values = plot.data[index];
  return values.flatMap((value, at) => (value !== null && (values[at - 1] ?? values[at + 1] ?? null) === null ? [at] : []));
}

function drawMarks(plot, chart, holder) {
  const overlay = plot.over;
  for (const old of overlay.querySelectorAll(".mark")) old.remove();
  const { min, max } = plot.scales.x;
  let lastLeft = -Infinity;
  for (const mark of chart.marks) {
    if (mark.at_s < min || mark.at_s > max) continue;
    const link = document.createElement(mark.href ? "a" : "span");
    const left = plot.valToPos(mark.at_s, "x");
    link.className = left - lastLeft < 10 + 7 * mark.label.length ? "mark is-crowded" : "mark";
    if (mark.href) link.href = mark.href;
    else link.classList.add("is-goal");
    link.title = mark.text;
    const label = document.createElement("span");
    label.textContent = mark.label;
    link.append(label);
    if (mark.href) link.setAttribute("aria-label", `Decision ${mark.label}: ${mark.text}`);
    link.style.left = `${left}px`;
    overlay.append(link);
    lastLeft = left;
  }
}

function readOut(plot, figure, series, unit) {
  const readout = figure.querySelector(".readout");
  const index = plot.cursor.idx;
  if (index === null || index === undefined || plot.cursor.left < 0) {
    readout.textContent = readout.dataset.rest;
    return;
  }
  const at_s = plot.data[0][index];
  const at = "elapsed" in figure.dataset ? elapsed(at_s) : moment(at_s, Number(document.getElementById("main").dataset.atS));
  const values = series.map((each, position) => {
    const value = plot.data[position + 1][index];
    return value === null || value === undefined ? null : `${each.name} ${written(unit, value)}`;
  });
  readout.textContent = [at, ...values.filter(Boolean)].join("  ·  ");
}

const written = (unit, value) => (unit === "$" ? usd(value) : number(value));

function colour(tone, holder) {
  const probe = document.createElement("span");
  probe.className = `probe ${tone}`;
  holder.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

const fade = (stroke) => stroke.replace(/^rgb\((.*)\)$/, "rgba($1, 0.09)");
