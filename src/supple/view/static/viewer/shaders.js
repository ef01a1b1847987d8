// What the graphics processor does: light on bodies, lines of a width in pixels, the ground with its grid and shadow.

const LIT_VERTEX = `#version 300 es
  uniform mat4 camera;
  uniform float grow; // outwards, m at a distance of one
  in vec3 corner, normal, along, across, third, origin, span;
  in vec4 tint;
  in float share;
  out vec3 place, facing;
  out vec4 color;
  void main() {
    place = along * corner.x + across * corner.y + third * corner.z + origin + share * span;
    facing = along * (normal.x / max(dot(along, along), 1e-20)) + across * (normal.y / max(dot(across, across), 1e-20))
      + third * (normal.z / max(dot(third, third), 1e-20));
    color = tint;
    if (grow > 0.0) place += grow * (camera * vec4(place, 1.0)).w * normalize(facing);
    gl_Position = camera * vec4(place, 1.0);
  }`;

// How much of the light arrives: 1, or less where the map has something nearer to the light; soft over a few cells.
const SHADOW = `
  uniform highp sampler2DShadow shadows;
  uniform mat4 sun;
  uniform float cell;
  float arrives(vec3 at, float reach) {
    vec3 x = (sun * vec4(at, 1.0)).xyz * 0.5 + 0.5;
    if (any(lessThan(x, vec3(0.0))) || any(greaterThan(x, vec3(1.0)))) return 1.0;
    float sum = 0.0;
    for (int i = -2; i <= 2; i++)
      for (int j = -2; j <= 2; j++) sum += texture(shadows, vec3(x.xy + reach * cell * vec2(i, j), x.z));
    return sum / 25.0;
  }`;

// A number for the graphics processor.
const real = (x) => x.toFixed(6);

const LIT_FRAGMENT = `#version 300 es
  precision highp float;
  uniform vec3 eye, up, light;
  uniform float bias;
  ${SHADOW}
  in vec3 place, facing;
  in vec4 color;
  out vec4 shown;
  void main() {
    vec3 n = normalize(facing), look = normalize(eye - place);
    if (dot(n, look) < 0.0) n = -n;
    float direct = max(dot(n, light), 0.0);
    if (direct > 0.0) direct *= arrives(place + bias * n, 1.0);
    float gloss = direct > 0.0 ? ${real(LOOK.SHINE)} * pow(max(dot(n, normalize(look + light)), 0.0), ${real(LOOK.POWER)}) : 0.0;
    float amount = ${real(LOOK.SKY)} + ${real(LOOK.ABOVE)} * dot(n, up) + ${real(LOOK.FACING)} * dot(n, look) + ${real(LOOK.SUN)} * direct;
    shown = vec4(sqrt(color.rgb * color.rgb * amount + gloss), color.a);
  }`;

const DEPTH_FRAGMENT = `#version 300 es
  precision mediump float;
  void main() {}`;

// Segments from a to b, as wide as they say, in pixels; what is behind the eye is cut off first.
const LINE_VERTEX = `#version 300 es
  uniform mat4 camera;
  uniform vec2 half_view;
  in vec2 side;
  in vec3 start, end;
  in vec4 tint;
  in float width;
  out vec4 color;
  const float NEAR = 1e-4;
  void main() {
    vec4 a = camera * vec4(start, 1.0), b = camera * vec4(end, 1.0);
    if (a.w < NEAR && b.w >= NEAR) a = mix(a, b, (NEAR - a.w) / (b.w - a.w));
    if (b.w < NEAR && a.w >= NEAR) b = mix(b, a, (NEAR - b.w) / (a.w - b.w));
    vec2 way = (b.xy / b.w - a.xy / a.w) * half_view;
    way = dot(way, way) > 1e-12 ? normalize(way) : vec2(1.0, 0.0);
    vec4 at = side.x < 0.5 ? a : b;
    vec2 shift = vec2(-way.y, way.x) * side.y + way * (side.x - 0.5);
    gl_Position = at + vec4(shift * 0.5 * width / half_view * at.w, 0.0, 0.0);
    color = tint;
  }`;

const LINE_FRAGMENT = `#version 300 es
  precision mediump float;
  in vec4 color;
  out vec4 shown;
  void main() { shown = color; }`;

// The ground: lines of a grid that fade with the distance, and the shadow.
const GROUND_VERTEX = `#version 300 es
  uniform mat4 camera;
  uniform vec3 middle, right, ahead;
  uniform float reach;
  in vec2 side;
  out vec3 place;
  out vec2 flat_place;
  void main() {
    vec2 s = vec2(2.0 * side.x - 1.0, side.y) * reach;
    place = middle + s.x * right + s.y * ahead;
    flat_place = s;
    gl_Position = camera * vec4(place, 1.0);
  }`;

const GROUND_FRAGMENT = `#version 300 es
  precision highp float;
  uniform float grid, faded;
  uniform vec2 offset;
  uniform vec3 eye, forward, paper;
  ${SHADOW}
  in vec3 place;
  in vec2 flat_place;
  out vec4 shown;
  float line(float x, float half_pixel) {
    float wide = ${real(0.5 * LOOK.LINE)}, room = wide + half_pixel - abs(x - floor(x + 0.5));
    return room > 0.0 ? min(room / (2.0 * half_pixel), min(1.0, wide / half_pixel)) : 0.0;
  }
  void main() {
    float far = dot(place - eye, forward) / faded, clear = max(1.0 - far * far, 0.0);
    vec2 x = (flat_place + offset) / grid, half_pixel = 0.5 * fwidth(x);
    float lines = clear * max(line(x.x, half_pixel.x), line(x.y, half_pixel.y));
    float dark = clear * (1.0 - arrives(place, 2.5));
    float rest = (1.0 - ${real(LOOK.DARK_LINE)} * lines) * (1.0 - ${real(LOOK.DARK_SHADOW)} * dark);
    vec3 own = paper * paper;
    float glow = ${real(LOOK.LIGHT_LINE)} * lines * max(1.0 - 5.0 * (own.r + own.g + own.b) / 3.0, 0.0);
    shown = vec4(sqrt(own * rest + glow), 1.0);
  }`;
