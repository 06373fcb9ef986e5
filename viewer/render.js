// viewer/render.js -- bodies, objects, planes and liquids by WebGL 2.
//
// Liquids come last, over what is there: the far sides of their surfaces, then only what is nearest, of which a pass of depths is told
// first, then drops. So no triangles need to be sorted.
import * as S from "./shaders.js";
import { add, cross, fromRows, identity, lookAt, multiply, orthographic, scale, unit } from "./matrix.js";

const SUN_MAP = 2048, TOP_MAP = 512;
const linear = (c) => c.map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));

const THEMES = {
  dark: { fog: [0.071, 0.078, 0.094], top: [0.132, 0.145, 0.172], up: [0.34, 0.38, 0.46], down: [0.10, 0.095, 0.10], sun: [1.3, 1.22, 1.1], floor: 0.034, ink: [0, 0, 0, 0.45] },
  light: { fog: [0.925, 0.937, 0.955], top: [0.80, 0.835, 0.885], up: [0.40, 0.43, 0.48], down: [0.22, 0.21, 0.205], sun: [0.92, 0.88, 0.82], floor: 0.74, ink: [0.05, 0.07, 0.1, 0.5] },
};

export class Renderer
{
  constructor(canvas)
  {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (!gl)
      throw new Error("this browser has no WebGL 2");
    this.gl = gl;
    this.canvas = canvas;
    this.theme = THEMES.dark;
    this.shadows = true;
    this.detail = 1; // of what the screen can show
    this.wire = false;
    this.bodies = [];
    this.objects = [];
    this.planes = [];
    this.flows = []; // liquids: another mesh, or other points, in each frame
    this.range = [0, 1];
    this.focus = { middle: [0, 0, 0], radius: 1 };
    this.programs = {
      body: this.program(S.BODY_VERTEX, S.BODY_FRAGMENT),
      depth: this.program(S.DEPTH_VERTEX, S.DEPTH_FRAGMENT),
      wire: this.program(S.BODY_VERTEX, S.WIRE_FRAGMENT),
      water: this.program(S.BODY_VERTEX, S.WATER_FRAGMENT),
      point: this.program(S.POINT_VERTEX, S.POINT_FRAGMENT),
      plane: this.program(S.PLANE_VERTEX, S.PLANE_FRAGMENT),
      sky: this.program(S.SKY_VERTEX, S.SKY_FRAGMENT),
    };
    this.sunMap = this.depthMap(SUN_MAP, true);
    this.topMap = this.depthMap(TOP_MAP, false);
    this.map = gl.createTexture();
    this.nothing = gl.createVertexArray();
    this.square = this.makeSquare();
  }

  setTheme(name) { this.theme = THEMES[name]; }

  program(vertex, fragment)
  {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]])
    {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
        throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS))
      throw new Error(gl.getProgramInfoLog(program));
    const places = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i)
    {
      const info = gl.getActiveUniform(program, i);
      places[info.name] = [gl.getUniformLocation(program, info.name), info.type];
    }
    return { program, places };
  }

  // Set what the program knows of.
  set(which, values)
  {
    const gl = this.gl;
    for (const [name, value] of Object.entries(values))
    {
      const [place, type] = which.places[name] || [];
      if (!place)
        continue;
      if (type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(place, false, value);
      else if (type === gl.FLOAT_VEC4) gl.uniform4fv(place, value);
      else if (type === gl.FLOAT_VEC3) gl.uniform3fv(place, value);
      else if (type === gl.FLOAT) gl.uniform1f(place, value);
      else gl.uniform1i(place, value);
    }
  }

  depthMap(size, compared)
  {
    const gl = this.gl, texture = gl.createTexture(), buffer = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    const filter = compared ? gl.LINEAR : gl.NEAREST;
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    if (compared)
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, buffer, size };
  }

  makeSquare()
  {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.fill(gl.ARRAY_BUFFER, gl.createBuffer(), new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    return array;
  }

  fill(target, buffer, data, usage)
  {
    this.gl.bindBuffer(target, buffer);
    this.gl.bufferData(target, data, usage);
    return buffer;
  }

  setColormap(pixels)
  {
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  }

  // ---- what there is ---------------------------------------------------------------------------------------------

  // Arrays of positions, normals and values, by triangles of indices or (null) three vertices each.
  makeMesh(vertexCount, indices, edges)
  {
    const gl = this.gl, mesh = { array: gl.createVertexArray(), buffers: [], count: indices ? indices.length : vertexCount, indexed: !!indices, place: identity() };
    gl.bindVertexArray(mesh.array);
    for (const [slot, components] of [[0, 3], [1, 3], [2, 1], [3, 1]])
    {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, 4 * components * vertexCount, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(slot);
      gl.vertexAttribPointer(slot, components, gl.FLOAT, false, 0, 0);
      mesh.buffers.push(buffer);
    }
    if (indices)
      mesh.buffers.push(this.fill(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer(), indices, gl.STATIC_DRAW));
    if (edges)
    {
      mesh.lines = gl.createVertexArray();
      gl.bindVertexArray(mesh.lines);
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffers[0]);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
      mesh.buffers.push(this.fill(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer(), edges, gl.STATIC_DRAW));
      mesh.lineCount = edges.length;
    }
    gl.bindVertexArray(null);
    return mesh;
  }

  update(mesh, slot, data)
  {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, mesh.buffers[slot]);
    this.gl.bufferSubData(this.gl.ARRAY_BUFFER, 0, data);
  }

  clear()
  {
    for (const mesh of [...this.bodies, ...this.objects, ...this.flows])
    {
      mesh.buffers.forEach((buffer) => this.gl.deleteBuffer(buffer));
      this.gl.deleteVertexArray(mesh.array);
      if (mesh.lines)
        this.gl.deleteVertexArray(mesh.lines);
    }
    this.bodies = [];
    this.objects = [];
    this.planes = [];
    this.flows = [];
  }

  // Positions, then radii of points; or normals, values and triangles.
  makeFlow(flow)
  {
    const gl = this.gl, mesh = { ...flow, color: linear(flow.color), array: gl.createVertexArray(), buffers: [], count: 0, indexed: true, place: identity() };
    gl.bindVertexArray(mesh.array);
    for (const [slot, components] of flow.points ? [[0, 3], [1, 1]] : [[0, 3], [1, 3], [2, 1]])
    {
      mesh.buffers.push(this.fill(gl.ARRAY_BUFFER, gl.createBuffer(), new Float32Array(3), gl.STREAM_DRAW));
      gl.enableVertexAttribArray(slot);
      gl.vertexAttribPointer(slot, components, gl.FLOAT, false, 0, 0);
    }
    if (!flow.points)
      mesh.buffers.push(this.fill(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer(), new Uint32Array(3), gl.STREAM_DRAW));
    gl.bindVertexArray(null);
    return mesh;
  }

  setFlow(flow, [vertices, triangles], coloured, read)
  {
    const gl = this.gl;
    flow.positions = read.floats(3 * vertices);
    this.fill(gl.ARRAY_BUFFER, flow.buffers[0], flow.positions, gl.STREAM_DRAW);
    this.fill(gl.ARRAY_BUFFER, flow.buffers[1], read.floats((flow.points ? 1 : 3) * vertices), gl.STREAM_DRAW);
    flow.count = flow.points ? vertices : 3 * triangles;
    if (flow.points)
      return;
    flow.values = coloured ? read.floats(vertices) : null;
    // a buffer must be there for all vertices
    this.fill(gl.ARRAY_BUFFER, flow.buffers[2], flow.values || flow.positions, gl.STREAM_DRAW);
    gl.bindVertexArray(flow.array);
    this.fill(gl.ELEMENT_ARRAY_BUFFER, flow.buffers[3], read.indices(3 * triangles), gl.STREAM_DRAW);
    gl.bindVertexArray(null);
  }

  setTopology(head, read)
  {
    this.clear();
    for (const body of head.bodies)
    {
      const triangles = read.indices(3 * body.triangles);
      const mesh = this.makeMesh(body.vertices, triangles, edgesOf(triangles, body.cells));
      this.bodies.push(Object.assign(mesh, { ...body, triangles, color: linear(body.color), inside: linear(body.inside) }));
    }
    for (const object of head.objects)
    {
      const vertices = read.floats(3 * object.vertices), triangles = read.indices(3 * object.triangles);
      this.objects.push(this.makeObject(object, vertices, triangles));
    }
    this.planes = head.planes.map((plane) => ({ ...plane, color: linear(plane.color) }));
    this.flows = head.flows.map((flow) => this.makeFlow(flow));
  }

  makeObject(object, vertices, triangles)
  {
    const mesh = this.makeMesh(object.bends ? object.vertices : 3 * object.triangles, object.bends ? triangles : null, null);
    Object.assign(mesh, { ...object, vertices, triangles, color: linear(object.color) });
    if (object.bends)
      return mesh;
    const split = creaseNormals(vertices, triangles);
    inset(split, vertices);
    this.update(mesh, 0, split.positions);
    this.update(mesh, 1, split.normals);
    return mesh;
  }

  setFrame(head, read)
  {
    for (const body of this.bodies)
    {
      body.positions = read.floats(3 * body.vertices);
      this.update(body, 0, body.positions);
      // its edges are where it has them when it is first seen
      if (!body.seen && !body.thin)
        this.update(body, 3, sharpVertices(body.positions, body.triangles));
      body.seen = true;
      this.update(body, 1, read.floats(3 * body.vertices));
      body.values = head.values ? read.floats(body.vertices) : null;
      if (body.values)
        this.update(body, 2, body.values);
    }
    this.mapped = head.values;
    this.planes.forEach((plane, i) => ([plane.at, plane.normal] = head.grounds[i]));
    this.objects.forEach((object, i) =>
    {
      object.place = fromRows(head.places[i]);
      if (object.bends)
      {
        object.positions = read.floats(3 * object.vertices.length / 3);
        this.update(object, 0, object.positions);
        this.update(object, 1, smoothNormals(object.positions, object.triangles));
      }
    });
    this.flows.forEach((flow, i) => this.setFlow(flow, head.flows[i], head.values, read));
    this.follow();
  }

  // The shadow map is where bodies and liquids are.
  follow()
  {
    const lower = [Infinity, Infinity, Infinity], upper = [-Infinity, -Infinity, -Infinity];
    for (const body of [...this.bodies, ...this.flows.filter((flow) => !flow.points)])
      for (let i = 0; i < body.positions.length; i += 3)
        for (let k = 0; k < 3; ++k)
        {
          lower[k] = Math.min(lower[k], body.positions[i + k]);
          upper[k] = Math.max(upper[k], body.positions[i + k]);
        }
    if (!(lower[0] <= upper[0]))
      return;
    const middle = scale(add(lower, upper), 0.5), radius = Math.max(1e-3, 0.5 * Math.hypot(upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]));
    const jump = Math.hypot(middle[0] - this.focus.middle[0], middle[1] - this.focus.middle[1], middle[2] - this.focus.middle[2]);
    // seldom, so that shadows do not swim
    if (jump > 0.35 * this.focus.radius || radius > 0.95 * this.focus.radius || radius < 0.35 * this.focus.radius)
      this.focus = { middle, radius: 1.5 * radius };
    this.bounds = { lower, upper };
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------

  resize()
  {
    const ratio = Math.min(window.devicePixelRatio || 1, 2) * this.detail, w = Math.round(this.canvas.clientWidth * ratio), h = Math.round(this.canvas.clientHeight * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h)
    {
      this.canvas.width = w;
      this.canvas.height = h;
    }
  }

  light()
  {
    const sun = unit([-0.45, 1.0, 0.55]), reach = 2.6 * this.focus.radius, { middle } = this.focus;
    const sunMatrix = multiply(orthographic(reach, 0, 6 * reach), lookAt(add(middle, scale(sun, 3 * reach)), middle, [0, 1, 0]));
    const topReach = 6 * reach;
    const topMatrix = multiply(orthographic(reach, 0, topReach), lookAt(add(middle, [0, 3 * reach, 0]), middle, [0, 0, -1]));
    const t = this.theme;
    return { sun, sunMatrix, topMatrix, topReach, shadowTexel: 2 * reach / SUN_MAP, skyUp: t.up, skyDown: t.down, sunColor: t.sun, fogColor: t.fog, fogTop: t.top,
      shadows: this.shadows ? 1 : 0, sunDepth: 0, topDepth: 1, map: 2 };
  }

  // All of it, or so many indices from one on.
  drawMesh(mesh, from = 0, count = mesh.count)
  {
    const gl = this.gl;
    gl.bindVertexArray(mesh.array);
    if (mesh.indexed)
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * from);
    else
      gl.drawArrays(gl.TRIANGLES, 0, mesh.count);
  }

  drawDepth(map, matrix, meshes)
  {
    const gl = this.gl, which = this.programs.depth;
    gl.bindFramebuffer(gl.FRAMEBUFFER, map.buffer);
    gl.viewport(0, 0, map.size, map.size);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(which.program);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1.5, 2);
    for (const mesh of meshes)
    {
      this.set(which, { camera: matrix, place: mesh.place });
      this.drawMesh(mesh);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  drawPlanes(common)
  {
    const gl = this.gl, which = this.programs.plane, { middle, radius } = this.focus;
    gl.useProgram(which.program);
    gl.bindVertexArray(this.square);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    for (const plane of this.planes)
    {
      const n = unit(plane.normal), away = (middle[0] - plane.at[0]) * n[0] + (middle[1] - plane.at[1]) * n[1] + (middle[2] - plane.at[2]) * n[2];
      const origin = add(middle, scale(n, -away)), level = n[1] > 0.98 ? 1 : 0;
      const along = level ? [1, 0, 0] : unit(cross(Math.abs(n[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0], n)), across = cross(n, along), size = 9 * radius;
      this.set(which, { ...common, origin, along: scale(along, size), across: scale(across, size), normal: n, middle: origin, reach: radius, level,
        color: plane.usual ? [this.theme.floor, this.theme.floor, this.theme.floor * 1.05] : plane.color, grid: plane.grid ? 1 : 0,
        gridStep: 10 ** Math.round(Math.log10(radius * 0.25)) });
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    gl.disable(gl.BLEND);
  }

  drawSolid(meshes, common, gloss, mapped, push)
  {
    const gl = this.gl, which = this.programs.body;
    gl.useProgram(which.program);
    // bodies rest on objects: those give way a little
    if (push)
      gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(push, push);
    for (const mesh of meshes)
    {
      const outer = mesh.inside ? 3 * mesh.outer : mesh.count;
      this.set(which, { ...common, place: mesh.place, color: mesh.color, gloss, mapped: mapped && mesh.values ? 1 : 0, low: this.range[0], high: this.range[1] });
      this.drawMesh(mesh, 0, outer);
      if (outer === mesh.count)
        continue;
      // what cracks laid open
      this.set(which, { color: mesh.inside });
      this.drawMesh(mesh, outer, mesh.count - outer);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  drawWires(common)
  {
    const gl = this.gl, which = this.programs.wire;
    gl.useProgram(which.program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    for (const body of this.bodies)
    {
      this.set(which, { camera: common.camera, place: body.place, ink: this.theme.ink });
      gl.bindVertexArray(body.lines);
      gl.drawElements(gl.LINES, body.lineCount, gl.UNSIGNED_INT, 0);
    }
    gl.disable(gl.BLEND);
  }

  // The near or far sides of what mirrors and is seen through, under a veil of its colour.
  drawSides(common, meshes, hidden, veil)
  {
    const gl = this.gl, which = this.programs.water;
    gl.cullFace(hidden);
    for (const mesh of meshes)
    {
      this.set(which, { ...common, veil, place: mesh.place, color: mesh.color });
      this.drawMesh(mesh);
    }
  }

  // Water, of whose near sides only the nearest is seen; then glass, which hides nothing.
  drawClear(common, waters, glasses)
  {
    const gl = this.gl;
    gl.useProgram(this.programs.water.program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.CULL_FACE);
    gl.depthMask(false);
    // the bottom of a pool lies in the floor: behind it, always
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 8);
    this.drawSides(common, waters, gl.FRONT, 0.18);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.depthMask(true);
    gl.colorMask(false, false, false, false);
    this.drawSides(common, waters, gl.BACK, 0);
    gl.colorMask(true, true, true, true);
    gl.depthFunc(gl.EQUAL);
    this.drawSides(common, waters, gl.BACK, 0.3);
    gl.depthFunc(gl.LESS);
    gl.depthMask(false);
    this.drawSides(common, glasses, gl.FRONT, 0.03);
    this.drawSides(common, glasses, gl.BACK, 0.03);
    gl.depthMask(true);
    gl.disable(gl.CULL_FACE);
    gl.disable(gl.BLEND);
  }

  drawPoints(common, pixels)
  {
    const gl = this.gl, which = this.programs.point;
    gl.useProgram(which.program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    for (const flow of this.flows.filter((one) => one.points && one.count))
    {
      this.set(which, { ...common, pixels, color: flow.color, spread: flow.spray ? 1.7 : 2.4, opacity: flow.spray ? 1 : flow.opacity, clear: flow.spray ? 1 : 0 });
      gl.bindVertexArray(flow.array);
      gl.drawArrays(gl.POINTS, 0, flow.count);
    }
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  draw(camera)
  {
    const gl = this.gl;
    this.resize();
    const aspect = this.canvas.width / Math.max(1, this.canvas.height), matrices = camera.matrices(aspect), light = this.light();
    const common = { ...light, camera: matrices.both, eye: camera.from };
    gl.enable(gl.DEPTH_TEST);
    if (this.shadows)
    {
      const solid = [...this.bodies, ...this.objects.filter((object) => !object.transparent)];
      this.drawDepth(this.sunMap, light.sunMatrix, solid);
      this.drawDepth(this.topMap, light.topMatrix, solid);
    }
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    [this.sunMap.texture, this.topMap.texture, this.map].forEach((texture, i) =>
    {
      gl.activeTexture(gl.TEXTURE0 + i);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
    gl.activeTexture(gl.TEXTURE3);
    gl.depthMask(false);
    gl.disable(gl.DEPTH_TEST);
    gl.useProgram(this.programs.sky.program);
    this.set(this.programs.sky, common);
    gl.bindVertexArray(this.nothing);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.depthMask(true);
    gl.enable(gl.DEPTH_TEST);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawPlanes(common);
    this.drawSolid(this.objects.filter((object) => !object.transparent), common, 0.05, false, 2);
    this.drawSolid(this.bodies, common, 0.14, this.mapped, this.wire ? 1 : 0);
    if (this.wire)
      this.drawWires(common);
    if (this.mapped)
      this.drawSolid(this.flows.filter((flow) => flow.values), common, 0.14, true, 0);
    this.drawClear(common, this.mapped ? [] : this.flows.filter((flow) => !flow.points && flow.count), this.objects.filter((object) => object.transparent));
    this.drawPoints(common, 0.5 * this.canvas.height / Math.tan(camera.fov * Math.PI / 360));
    return matrices;
  }
}

// Each edge once; of cells, whose halves are a b c and a c d, not the diagonal.
function edgesOf(triangles, cells)
{
  const seen = new Set(), edges = [];
  for (let t = 0; t < triangles.length; t += 3)
    for (let k = 0; k < 3; ++k)
    {
      const half = (t / 3) % 2, diagonal = cells && (half ? k === 0 : k === 2);
      const a = triangles[t + k], b = triangles[t + (k + 1) % 3], key = a < b ? a * 4294967296 + b : b * 4294967296 + a;
      if (diagonal || seen.has(key))
        continue;
      seen.add(key);
      edges.push(a, b);
    }
  return new Uint32Array(edges);
}

function faceNormal(x, a, b, c)
{
  const ab = [x[3 * b] - x[3 * a], x[3 * b + 1] - x[3 * a + 1], x[3 * b + 2] - x[3 * a + 2]];
  const ac = [x[3 * c] - x[3 * a], x[3 * c + 1] - x[3 * a + 1], x[3 * c + 2] - x[3 * a + 2]];
  return cross(ab, ac);
}

function smoothNormals(x, triangles)
{
  const normals = new Float32Array(x.length);
  for (let t = 0; t < triangles.length; t += 3)
  {
    const n = faceNormal(x, triangles[t], triangles[t + 1], triangles[t + 2]);
    for (let k = 0; k < 3; ++k)
      for (let i = 0; i < 3; ++i)
        normals[3 * triangles[t + k] + i] += n[i];
  }
  return normals;
}

// A little smaller than it is: nodes of bodies rest on it, and the triangles between them would cut it.
function inset({ positions, normals }, vertices)
{
  const lower = [Infinity, Infinity, Infinity], upper = [-Infinity, -Infinity, -Infinity];
  vertices.forEach((x, i) =>
  {
    lower[i % 3] = Math.min(lower[i % 3], x);
    upper[i % 3] = Math.max(upper[i % 3], x);
  });
  const depth = 0.007 * Math.max(...upper.map((x, i) => x - lower[i]));
  for (let i = 0; i < positions.length; i += 3)
  {
    const size = Math.hypot(normals[i], normals[i + 1], normals[i + 2]) || 1;
    for (let k = 0; k < 3; ++k)
      positions[i + k] -= depth * normals[i + k] / size;
  }
}

// 1 at vertices whose faces turn by more than 50 degrees.
function sharpVertices(x, triangles)
{
  const mean = smoothNormals(x, triangles), sharp = new Float32Array(x.length / 3);
  for (let t = 0; t < triangles.length; t += 3)
  {
    const n = unit(faceNormal(x, triangles[t], triangles[t + 1], triangles[t + 2]));
    for (let k = 0; k < 3; ++k)
    {
      const v = triangles[t + k], m = unit([mean[3 * v], mean[3 * v + 1], mean[3 * v + 2]]);
      if (n[0] * m[0] + n[1] * m[1] + n[2] * m[2] < 0.82)
        sharp[v] = 1;
    }
  }
  return sharp;
}

// Three vertices per triangle; each has the mean normal of the faces around it that face nearly the same way.
function creaseNormals(x, triangles)
{
  const around = new Map(), faces = [], positions = new Float32Array(3 * triangles.length), normals = new Float32Array(3 * triangles.length);
  for (let t = 0; t < triangles.length; t += 3)
  {
    faces.push(faceNormal(x, triangles[t], triangles[t + 1], triangles[t + 2]));
    for (let k = 0; k < 3; ++k)
      (around.get(triangles[t + k]) || around.set(triangles[t + k], []).get(triangles[t + k])).push(t / 3);
  }
  const units = faces.map(unit);
  for (let i = 0; i < triangles.length; ++i)
  {
    const own = units[Math.floor(i / 3)], sum = [0, 0, 0];
    for (const f of around.get(triangles[i]))
      if (own[0] * units[f][0] + own[1] * units[f][1] + own[2] * units[f][2] > 0.77)
        for (let k = 0; k < 3; ++k)
          sum[k] += faces[f][k];
    for (let k = 0; k < 3; ++k)
    {
      positions[3 * i + k] = x[3 * triangles[i] + k];
      normals[3 * i + k] = sum[k];
    }
  }
  return { positions, normals };
}
