// viewer/main.js -- the page: what the engine sends is shown, what hands do is sent.
import { Camera, Pointers } from "./camera.js";
import { pixelsOf, rangeOf } from "./colormap.js";
import { short } from "./format.js";
import { icon } from "./icons.js";
import { Link } from "./link.js";
import { project } from "./matrix.js";
import { drawOverlay } from "./overlay.js";
import { fillTrack, Panel } from "./panel.js";
import { meets } from "./pick.js";
import { Plots } from "./plots.js";
import { Renderer } from "./render.js";

const $ = (id) => document.getElementById(id);
const canvas = $("stage"), overlay = $("overlay"), camera = new Camera(), plots = new Plots($("plots"));
const state = { tool: "grab", scene: null, head: null, fps: 0, counted: 0, since: performance.now(), asked: true, scrubbing: false };

// ---- notes -------------------------------------------------------------------------------------------------------

function note(text, link)
{
  const card = Object.assign(document.createElement("div"), { className: "card note", textContent: text });
  if (link)
    card.append(" ", Object.assign(document.createElement("a"), { href: link, textContent: "open it", target: "_blank" }));
  $("notes").append(card);
  while ($("notes").children.length > 3)
    $("notes").firstChild.remove();
  setTimeout(() => card.remove(), link ? 30000 : 5000);
}

function trouble(text)
{
  $("trouble").hidden = !text;
  $("trouble").querySelector("pre").textContent = text;
}

let renderer;
try
{
  renderer = new Renderer(canvas);
}
catch (error)
{
  trouble("This page needs WebGL 2: " + error.message);
  throw error;
}

// ---- themes ------------------------------------------------------------------------------------------------------

function applyTheme(choice)
{
  const name = choice === "auto" ? (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark") : choice;
  document.documentElement.dataset.theme = name;
  renderer.setTheme(name);
  localStorage.setItem("theme", choice);
}

function nextTheme() { applyTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); }

// ---- the engine --------------------------------------------------------------------------------------------------

const panel = new Panel($("params"), (path, value) => link.say("set", { path, value }));

function showScene(scene)
{
  const first = !state.scene;
  state.scene = scene;
  $("lost").hidden = true;
  $("name").textContent = scene.name.split("/").pop();
  document.title = scene.name.split("/").pop() + " – Pliant";
  $("mode").textContent = scene.mode;
  document.body.classList.toggle("replay", scene.mode === "replay");
  $("timeline").hidden = scene.mode !== "replay";
  $("tools").hidden = scene.mode === "replay";
  $("grip").hidden = scene.mode === "replay";
  document.querySelectorAll(".live-only").forEach((e) => (e.hidden = scene.mode === "replay"));
  $("scrub").max = Math.max(1, scene.frames);
  trouble(scene.trouble);
  panel.build(scene.mode === "replay" ? [] : scene.params);
  $("params").parentElement.hidden = scene.mode === "replay" || !scene.params.length;
  makeTools(scene.tools);
  makeFields(scene.fields);
  if (first)
    camera.frame(scene.camera, canvas.clientWidth / canvas.clientHeight);
  plots.clear();
}

function showFrame(head, read)
{
  renderer.setFrame(head, read);
  camera.ground = Math.max(-Infinity, ...head.grounds.filter(([, normal]) => normal[1] > 0.98).map(([at]) => at[1]));
  const before = state.head;
  state.head = head;
  state.asked = false;
  state.counted++;
  if (!before || before.serial !== head.serial)
    if (head.playing || !before || before.time !== head.time)
      plots.add(head.figures);
  showState(head, before);
}

function showState(head, before)
{
  $("time").textContent = head.time.toFixed(2);
  $("factor").textContent = (head.playing ? head.factor : 0).toFixed(2);
  $("pace").classList.toggle("behind", head.playing && head.behind && state.scene?.mode === "live");
  $("pace").hidden = state.scene?.mode === "replay";
  if (!before || before.playing !== head.playing)
    $("play").innerHTML = icon(head.playing ? "pause" : "play");
  $("record").classList.toggle("on", head.recording);
  showSpeed(head.speed);
  if (!state.scrubbing)
    $("scrub").value = head.frame;
  fillTrack($("scrub"));
  $("frame").textContent = head.frame + " / " + (state.scene?.frames ?? 0);
  for (const button of $("fields").children)
    button.classList.toggle("on", button.dataset.name === head.color);
  showRange(head);
}

// The range follows the values slowly, and grows at once.
function showRange(head)
{
  $("legend").hidden = !head.values;
  if (!head.values)
    return;
  if (state.colored !== head.color)
  {
    const pixels = pixelsOf(head.color), g = $("legend").querySelector("canvas").getContext("2d");
    renderer.setColormap(pixels);
    for (let i = 0; i < 256; ++i)
    {
      g.fillStyle = `rgb(${pixels[4 * i]},${pixels[4 * i + 1]},${pixels[4 * i + 2]})`;
      g.fillRect(i, 0, 1, 8);
    }
    renderer.range = rangeOf([...renderer.bodies, ...renderer.flows.filter((flow) => flow.values)], head.color);
    state.colored = head.color;
  }
  const now = rangeOf([...renderer.bodies, ...renderer.flows.filter((flow) => flow.values)], head.color), kept = renderer.range;
  renderer.range = [Math.min(now[0], kept[0] + 0.01 * (now[0] - kept[0])), Math.max(now[1], kept[1] + 0.01 * (now[1] - kept[1]))];
  const units = { speed: "m/s", stress: "Pa", pressure: "Pa", energy: "J/m³" };
  $("low").textContent = short(renderer.range[0]);
  $("high").textContent = short(renderer.range[1]) + (units[head.color] ? " " + units[head.color] : "");
}

const link = new Link({
  scene: showScene,
  topology(head, read)
  {
    renderer.setTopology(head, read);
    plots.choose({ bodies: head.bodies.length > 0, liquids: head.flows.length > 0 });
  },
  frame: showFrame,
  value: (m) => m.value !== null && panel.show(m.path, m.value),
  note: (m) => note(m.text),
  trouble: (m) => trouble(m.text),
  movie: (m) => note("The movie is ready: " + m.text, "movie"),
  lost: () => ($("lost").hidden = false),
});

// ---- tools -------------------------------------------------------------------------------------------------------

// A tool that has nothing to do in the scene says why when somebody takes it.
function chooseTool(name, byHand)
{
  const tool = state.scene.tools.find((one) => one.name === name);
  state.tool = name;
  if (byHand && tool.idle)
    note(tool.idle);
  $("grip").querySelector("span").textContent = name === "pour" ? "Rate" : "Grip";
  for (const button of $("tools").children)
    button.classList.toggle("on", button.dataset.name === name);
}

function makeTools(tools)
{
  $("tools").textContent = "";
  for (const tool of tools)
  {
    const button = document.createElement("button");
    button.innerHTML = icon(tool.name);
    button.append(tool.title);
    button.title = tool.hint + " (" + tool.key.toUpperCase() + ")";
    button.dataset.name = tool.name;
    button.classList.toggle("idle", !!tool.idle);
    button.onclick = () => chooseTool(tool.name, true);
    $("tools").append(button);
  }
  chooseTool(tools.some((tool) => tool.name === state.tool) ? state.tool : tools[0].name);
}

function makeFields(fields)
{
  $("fields").textContent = "";
  for (const field of fields)
  {
    const button = Object.assign(document.createElement("button"), { textContent: field === "body" ? "plain" : field, title: "Colour by " + field });
    button.dataset.name = field;
    button.onclick = () => link.say("color", { name: field });
    $("fields").append(button);
  }
}

// Whether the tool in hand has something to do there.
function meetsGoal(ray)
{
  const tool = state.scene.tools.find((one) => one.name === state.tool);
  return !tool.idle && (tool.anywhere || meets(renderer, ray, tool.objects));
}

const rayAt = (x, y) => camera.ray(x, y, canvas.clientWidth / canvas.clientHeight);

new Pointers(canvas, camera, {
  down(x, y, hand)
  {
    const ray = rayAt(x, y);
    if (state.scene?.mode !== "live" || !meetsGoal(ray))
      return false;
    link.say("touch", { hand, name: state.tool, facing: camera.facing, ...ray });
    return true;
  },
  move: (x, y, hand) => link.say("drag", { hand, ...rayAt(x, y) }),
  up: (hand) => link.say("lift", { hand }),
  hover(x, y, kind)
  {
    if (kind === "mouse" && state.scene?.mode === "live")
      canvas.style.cursor = meetsGoal(rayAt(x, y)) ? "grab" : "default";
  },
});

// ---- controls ----------------------------------------------------------------------------------------------------

function showSpeed(value)
{
  const input = $("speed");
  if (document.activeElement !== input)
    input.value = Math.log10(value);
  fillTrack(input);
  input.nextElementSibling.textContent = short(value) + "×";
}

function setSpeed(value) { link.say("speed", { value: Math.abs(value - 1) < 0.06 ? 1 : value }); }

function record()
{
  const from = camera.from, along = camera.at.map((x, i) => x - from[i]);
  if (state.head?.recording)
    link.say("cut", { from, along, value: camera.fov });
  else
    link.say("record");
}

const actions = {
  play: () => link.say(state.head?.playing ? "pause" : "play"),
  step: () => link.say("step"),
  reset: () => { plots.clear(); link.say("reset"); },
  mark: () => link.say("mark"),
  return: () => link.say("return"),
  live: () => link.say("live"),
  record,
  theme: nextTheme,
  help: () => ($("keys").hidden = !$("keys").hidden),
  toggle: () => document.body.classList.toggle("bare"),
  wire: () => { $("wire").checked = !$("wire").checked; renderer.wire = $("wire").checked; },
  home()
  {
    if (state.scene && renderer.bounds)
      camera.frame({ fov: camera.fov, ...renderer.bounds }, canvas.clientWidth / canvas.clientHeight);
  },
};

const keys = { " ": "play", ".": "step", r: "reset", m: "mark", b: "return", v: "record", t: "theme", "?": "help", Tab: "toggle", w: "wire", f: "home" };

addEventListener("keydown", (e) =>
{
  if (e.target.matches?.("input[type=text]") || e.ctrlKey || e.metaKey || e.altKey)
    return;
  if (!$("keys").hidden)
  {
    $("keys").hidden = true;
    e.preventDefault();
    return;
  }
  const tool = state.scene?.tools.find((one) => one.key === e.key);
  if (tool)
    chooseTool(tool.name, true);
  else if (e.key === "[" || e.key === "]")
    setSpeed((state.head?.speed ?? 1) * (e.key === "[" ? 0.5 : 2));
  else if (keys[e.key])
  {
    actions[keys[e.key]]();
    e.preventDefault();
  }
});

const help = [["drag a body", "use the tool on it"], ["drag elsewhere", "turn the view; with the right button anywhere"], ["Shift + drag", "move sideways; wheel or pinch: nearer"],
  ["Space", "play, pause"], [".", "one step"], ["R", "to the beginning"], ["[  ]", "slower, faster"], ["M  B", "mark a state, come back to it"], ["V", "record, and make a movie"],
  ["G  P  H", "grab, push, pin"], ["E  L", "heat, melt"], ["X  O", "cut, move objects"], ["W", "wireframe"], ["F", "look at everything"], ["T  Tab", "theme, panel"]];
$("keys").querySelector("dl").innerHTML = help.map(([key, what]) => `<dt>${key}</dt><dd>${what}</dd>`).join("");
$("keys").onclick = () => ($("keys").hidden = true);

for (const [id, picture] of Object.entries({ play: "play", step: "step", reset: "reset", mark: "mark", return: "back", record: "record", theme: "theme", help: "help", toggle: "panel" }))
  $(id).innerHTML = icon(picture);
for (const id of ["play", "step", "reset", "mark", "return", "record", "live", "theme", "help", "toggle"])
  $(id).onclick = actions[id];
$("speed").oninput = () => { fillTrack($("speed")); setSpeed(10 ** Number($("speed").value)); };
$("speed").ondblclick = () => setSpeed(1);
$("scrub").onpointerdown = () => (state.scrubbing = true);
$("scrub").onpointerup = () => (state.scrubbing = false);
$("scrub").oninput = () => link.say("seek", { value: Number($("scrub").value) });
$("wire").onchange = () => (renderer.wire = $("wire").checked);
$("shadows").onchange = () => (renderer.shadows = $("shadows").checked);
const grip = $("grip").querySelector("input");
grip.oninput = () =>
{
  const value = 10 ** Number(grip.value);
  $("grip").querySelector("output").textContent = short(value) + "×";
  fillTrack(grip);
  link.say("grip", { value });
};
$("grip").querySelector("output").textContent = "1×";
fillTrack(grip);
if (innerWidth <= 760)
  document.body.classList.add("bare");
applyTheme(localStorage.getItem("theme") || "auto");

// ---- drawing -----------------------------------------------------------------------------------------------------

// A slow picture gets coarser, so that hands are answered; a fast one gets finer again.
function adaptDetail(now)
{
  const took = now - (state.drawn ?? now);
  state.drawn = now;
  if (document.hidden)
    return;
  state.pace = 0.8 * (state.pace ?? 16) + 0.2 * Math.min(took, 1000);
  state.settled = (state.settled ?? 0) + 1;
  if (state.settled < (state.pace > 100 ? 4 : 20))
    return;
  if (state.pace > 45 && renderer.detail > 0.4)
    [renderer.detail, state.settled] = [renderer.detail * (state.pace > 100 ? 0.6 : 0.75), 0];
  else if (state.pace < 18 && renderer.detail < 1 && state.settled > 600)
    [renderer.detail, state.settled] = [Math.min(1, renderer.detail / 0.75), 0];
}

// The middle of the picture is the middle of what the panel leaves.
function makeRoom()
{
  const wide = innerWidth > 760 && !document.body.classList.contains("bare"), wanted = wide ? $("panel").offsetWidth / innerWidth : 0;
  camera.shift += 0.2 * (wanted - camera.shift);
}

function draw(now)
{
  adaptDetail(now);
  makeRoom();
  if (state.head)
  {
    const matrices = renderer.draw(camera);
    drawOverlay(overlay, matrices, state.head, getComputedStyle(document.documentElement).getPropertyValue("--accent"));
    plots.draw();
  }
  // the next frame is asked for when this one is on the screen
  if (!state.asked)
  {
    state.asked = true;
    link.ask();
  }
  if (now - state.since > 500)
  {
    $("fps").textContent = Math.round(1000 * state.counted / (now - state.since));
    state.counted = 0;
    state.since = now;
  }
  requestAnimationFrame(draw);
}
requestAnimationFrame(draw);

// For tests, and for the curious.
window.pliant = { camera, renderer, state, link, project };
