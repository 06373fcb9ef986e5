// viewer/shaders.js -- light: one sun with a soft shadow, a sky, and on planes what bodies near them take of it.
//
// Colours are linear until the last line. Shadows are read from two depth maps: one from the sun, one from straight above, which tells how
// near the things above a point of the floor are.
const HEAD = "#version 300 es\nprecision highp float;\nprecision highp sampler2DShadow;\n";

const LIGHT = `
uniform vec3 eye, sun, skyUp, skyDown, sunColor, fogColor, fogTop;
uniform mat4 sunMatrix;
uniform sampler2DShadow sunDepth;
uniform float shadowTexel, shadows;

vec3 film(vec3 c)
{
  c = c * (1.0 + c * 0.12) / (1.0 + c * 0.32);
  return mix(12.92 * c, 1.055 * pow(max(c, 0.0), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}

// How much of the sun is seen, over a disc that turns from pixel to pixel.
float sunlit(vec3 p, vec3 n)
{
  if (shadows < 0.5)
    return 1.0;
  vec4 q = sunMatrix * vec4(p + n * shadowTexel * 1.5, 1.0);
  vec3 at = q.xyz * 0.5 + 0.5;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0))))
    return 1.0;
  float turn = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) * 6.2831853, seen = 0.0;
  for (int i = 0; i < 12; ++i)
  {
    float r = sqrt((float(i) + 0.5) / 12.0), a = turn + float(i) * 2.3999632;
    seen += texture(sunDepth, vec3(at.xy + vec2(cos(a), sin(a)) * r * 0.0042, at.z - 0.0012));
  }
  return seen / 12.0;
}

vec3 shade(vec3 albedo, vec3 p, vec3 n, float gloss, float open)
{
  vec3 v = normalize(eye - p), h = normalize(v + sun);
  float facing = dot(n, sun), lit = facing > -0.3 ? sunlit(p, n) : 0.0;
  float wrap = clamp((facing + 0.18) / 1.18, 0.0, 1.0), rim = pow(1.0 - clamp(dot(n, v), 0.0, 1.0), 4.0);
  vec3 sky = mix(skyDown, skyUp, 0.5 + 0.5 * n.y) * open;
  vec3 c = albedo * (sunColor * wrap * mix(lit, 1.0, 0.06) + sky);
  c += sunColor * lit * gloss * pow(max(dot(n, h), 0.0), 60.0) * step(0.0, facing);
  return c + sky * rim * gloss * 1.6;
}
`;

export const BODY_VERTEX = HEAD + `
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in float value;
layout(location = 3) in float sharp;
uniform mat4 camera, place;
out vec3 p, n;
out float worth, edgy;
void main()
{
  p = (place * vec4(position, 1.0)).xyz;
  n = mat3(place) * normal;
  worth = value;
  edgy = sharp;
  gl_Position = camera * vec4(p, 1.0);
}`;

export const BODY_FRAGMENT = HEAD + LIGHT + `
in vec3 p, n;
in float worth, edgy;
uniform vec3 color;
uniform float gloss, mapped, low, high;
uniform sampler2D map;
out vec4 pixel;
void main()
{
  vec3 flat_n = normalize(cross(dFdx(p), dFdy(p))), v = eye - p, smooth_n = length(n) > 0.0 ? normalize(n) : flat_n;
  if (dot(flat_n, v) < 0.0)
    flat_n = -flat_n;
  if (dot(smooth_n, flat_n) < 0.0)
    smooth_n = -smooth_n;
  // where the surface has an edge the mean normal of its vertices is of no side
  vec3 m = edgy > 0.001 ? flat_n : smooth_n;
  vec3 albedo = color;
  if (mapped > 0.5)
  {
    float t = (worth - low) / max(high - low, 1e-30);
    vec3 c = texture(map, vec2(clamp(t, 0.0, 1.0) * 0.996 + 0.002, 0.5)).rgb;
    albedo = worth == worth ? pow(c, vec3(2.2)) : vec3(0.25);
  }
  pixel = vec4(film(shade(albedo, p, m, gloss, 1.0)), 1.0);
}`;

// Water: it mirrors the sky by Fresnel's law (Schlick's form) and the sun, and lets the rest through, tinted. What is behind it is there already.
export const WATER_FRAGMENT = HEAD + LIGHT + `
in vec3 p, n;
in float worth, edgy;
uniform vec3 color;
uniform float veil;
out vec4 pixel;
void main()
{
  vec3 v = normalize(eye - p), m = length(n) > 0.0 ? normalize(n) : normalize(cross(dFdx(p), dFdy(p)));
  if (dot(m, v) < 0.0)
    m = -m;
  float f = 0.02 + 0.98 * pow(1.0 - clamp(dot(m, v), 0.0, 1.0), 5.0), lit = sunlit(p, m);
  vec3 back = reflect(-v, m), h = normalize(v + sun);
  vec3 sky = mix(skyDown, 1.6 * skyUp + 0.25 * fogTop, smoothstep(-0.15, 0.6, back.y));
  // between a wall and the surface normals are a mean of both: shorter, and of neither
  vec3 glint = sunColor * lit * 1.2 * pow(max(dot(m, h), 0.0), 220.0) * smoothstep(0.9, 0.99, length(n));
  vec3 body = color * (sunColor * (0.35 + 0.3 * max(dot(m, sun), 0.0)) * mix(lit, 1.0, 0.4) + skyUp);
  float cover = f + (1.0 - f) * veil;
  vec3 c = (sky * f + body * (1.0 - f) * veil) / cover;
  float shine = clamp(max(glint.r, max(glint.g, glint.b)), 0.0, 1.0);
  pixel = vec4(film(c) * cover + film(glint), min(1.0, cover + shine));
}`;

// Drops. Those of spray are balls of water, a little smaller than the liquid that they stand for; foam and bubbles are soft discs.
export const POINT_VERTEX = HEAD + `
layout(location = 0) in vec3 position;
layout(location = 1) in float radius;
uniform mat4 camera;
uniform float pixels, spread, opacity;
out vec3 p;
out float cover;
void main()
{
  p = position;
  gl_Position = camera * vec4(p, 1.0);
  float size = spread * radius * pixels / max(gl_Position.w, 1e-6);
  cover = opacity * clamp(size * size / 4.0, 0.1, 1.0);
  gl_PointSize = clamp(size, 2.0, 200.0);
}`;

export const POINT_FRAGMENT = HEAD + LIGHT + `
in vec3 p;
in float cover;
uniform vec3 color;
uniform float clear;
out vec4 pixel;
void main()
{
  vec2 q = 2.0 * gl_PointCoord - 1.0;
  float d = max(0.0, 1.0 - dot(q, q)), a = cover * d * d;
  if (clear > 0.5)
  {
    // a lens that turns what is behind it over: the sky is below, the ground above; the rim mirrors, a spot is the sun
    float rim = 1.0 - sqrt(d), edge = smoothstep(0.0, 0.25, d), spot = smoothstep(0.25, 0.0, length(q - vec2(-0.35, -0.4)));
    vec3 sky = 1.6 * skyUp + 0.25 * fogTop, light = mix(0.5 * skyDown, sky, smoothstep(-0.4, 0.7, q.y)) + sky * rim * rim;
    a = cover * edge * mix(0.55, 0.95, rim);
    pixel = vec4(film(light) * a + film(sunColor * spot) * cover * 0.8, min(1.0, a + 0.8 * cover * spot));
    return;
  }
  pixel = vec4(film(color * (0.7 * sunColor * mix(sunlit(p, sun), 1.0, 0.3) + skyUp)) * a, a);
}`;

export const DEPTH_VERTEX = HEAD + `
layout(location = 0) in vec3 position;
uniform mat4 camera, place;
void main() { gl_Position = camera * place * vec4(position, 1.0); }`;

export const DEPTH_FRAGMENT = HEAD + "void main() {}";

export const WIRE_FRAGMENT = HEAD + `
in vec3 p, n;
in float worth;
uniform vec4 ink;
out vec4 pixel;
void main() { pixel = ink; }`;

export const PLANE_VERTEX = HEAD + `
layout(location = 0) in vec2 corner;
uniform mat4 camera;
uniform vec3 origin, along, across;
out vec3 p;
out vec2 q;
void main()
{
  p = origin + along * corner.x + across * corner.y;
  q = vec2(dot(p, normalize(along)), dot(p, normalize(across)));
  gl_Position = camera * vec4(p, 1.0);
}`;

export const PLANE_FRAGMENT = HEAD + LIGHT + `
in vec3 p;
in vec2 q;
uniform vec3 color, normal, middle;
uniform float grid, reach, gridStep, level;
uniform mat4 topMatrix;
uniform sampler2D topDepth;
uniform float topReach;
out vec4 pixel;

float lines(vec2 x, float width)
{
  vec2 d = abs(fract(x - 0.5) - 0.5) / max(fwidth(x), 1e-6);
  return (1.0 - smoothstep(0.0, width, min(d.x, d.y))) * clamp(1.0 - 2.0 * max(fwidth(x).x, fwidth(x).y), 0.0, 1.0);
}

// What is close above takes the sky away.
float open_sky()
{
  vec4 c = topMatrix * vec4(p, 1.0);
  vec3 at = c.xyz * 0.5 + 0.5;
  if (shadows < 0.5 || level < 0.5 || any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0))))
    return 1.0;
  float turn = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) * 6.2831853, covered = 0.0;
  for (int i = 0; i < 14; ++i)
  {
    float r = sqrt((float(i) + 0.5) / 14.0), a = turn + float(i) * 2.3999632;
    float above = (at.z - texture(topDepth, at.xy + vec2(cos(a), sin(a)) * r * 0.045).r) * topReach;
    covered += above > 0.0 ? 1.0 / (1.0 + 26.0 * above * above / (reach * reach)) * (1.0 - r * 0.55) : 0.0;
  }
  return 1.0 - 0.95 * covered / 14.0;
}

void main()
{
  float open = open_sky(), far = length(p - middle) / reach, fade = 1.0 - smoothstep(1.2, 7.5, far);
  vec3 albedo = color;
  float drawn = grid * (lines(q / gridStep, 1.2) * 0.10 + lines(q / (gridStep * 10.0), 1.4) * 0.12) * (1.0 - smoothstep(1.0, 5.0, far));
  albedo = mix(albedo, albedo * 0.35 + 0.02, drawn);
  vec3 c = film(shade(albedo, p, normal, 0.015, open * open));
  float above = smoothstep(-0.02, 0.06, dot(normalize(eye - p), normal));
  pixel = vec4(c, fade * above);
}`;

export const SKY_VERTEX = HEAD + `
out vec2 at;
void main()
{
  at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(at, 1.0, 1.0);
}`;

export const SKY_FRAGMENT = HEAD + `
in vec2 at;
uniform vec3 fogColor, fogTop;
out vec4 pixel;
void main()
{
  float t = smoothstep(-0.9, 1.1, at.y), d = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
  pixel = vec4(mix(fogColor, fogTop, t) * (1.0 - 0.10 * dot(at, at) * 0.5) + d / 255.0, 1.0);
}`;
