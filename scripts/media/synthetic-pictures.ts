import sharp, { type Sharp } from 'sharp';

const [width, height] = [1280, 800];

/** Returns a pseudo-random number from 0 to 1, always the same for a place. */
function chance(x: number, y: number, seed: number): number {
  let hash = Math.imul(x, 374_761_393) + Math.imul(y, 668_265_263) + Math.imul(seed, 2_147_483_647);
  hash = Math.imul(hash ^ (hash >>> 13), 1_274_126_177);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Returns smooth noise: random values at the points of a grid, interpolated. */
function smooth(x: number, y: number, seed: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [u, v] = [ease(x - left), ease(y - top)];
  const at = (right: number, below: number): number => chance(left + right, top + below, seed);
  const mix = (from: number, to: number, part: number): number => from + (to - from) * part;
  return mix(mix(at(0, 0), at(1, 0), u), mix(at(0, 1), at(1, 1), u), v);
}

const ease = (part: number): number => part * part * (3 - 2 * part);

/** Returns noise with details of every size, like clouds, rock or leaves. */
function fractal(x: number, y: number, { seed, rough }: { readonly seed: number; readonly rough: number }): number {
  let [sum, weight, total] = [0, 1, 0];
  for (let octave = 0; octave < 8; octave += 1) {
    sum += weight * smooth((x / 400) * 2 ** octave, (y / 400) * 2 ** octave, seed + octave);
    total += weight;
    weight *= rough;
  }
  return sum / total;
}

type Shade = (x: number, y: number, channel: number) => number;

function paint(shade: Shade): Sharp {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      for (let channel = 0; channel < 3; channel += 1)
        pixels[(y * width + x) * 3 + channel] = Math.max(0, Math.min(255, Math.round(255 * shade(x, y, channel))));
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

const grain = (x: number, y: number, channel: number): number => chance(x, y, 90 + channel) - 0.5;

const text = Array.from(
  { length: 24 },
  (_, row) => `<text x="40" y="${String(60 + row * 30)}">Roots of line ${String(row)} hold the shore, 0123456789</text>`,
);
const page = `<svg xmlns="http://www.w3.org/2000/svg" width="${String(width)}" height="${String(height)}"><rect width="100%" height="100%" fill="#fff"/>
  <g font-family="serif" font-size="26" fill="#222">${text.join('')}</g></svg>`;

/** Returns pictures that look like photos, and those that are hard to encode. */
export const syntheticPictures = (): readonly (readonly [name: string, picture: Sharp])[] => [
  [
    'clouds',
    paint((x, y, channel) => 0.35 + 0.5 * fractal(x, y, { seed: 1, rough: 0.5 }) + 0.06 * channel + 0.02 * grain(x, y, channel)),
  ],
  ['rock', paint((x, y, channel) => 0.1 + 0.9 * fractal(x, y, { seed: 20 + channel, rough: 0.75 }) + 0.03 * grain(x, y, 0))],
  [
    'leaves',
    paint((x, y, channel) => {
      const depth = fractal(x, y, { seed: 40, rough: 0.65 });
      const edge = Math.abs(Math.sin(20 * depth)) ** 0.5;
      return edge * ([0.4, 0.75, 0.3][channel] ?? 0) + 0.2 * depth + 0.04 * grain(x, y, 0);
    }),
  ],
  ['night', paint((x, y, channel) => 0.05 + 0.25 * fractal(x, y, { seed: 60, rough: 0.5 }) ** 2 + 0.12 * grain(x, y, channel))],
  [
    'skin',
    paint(
      (x, y, channel) =>
        ([0.85, 0.65, 0.55][channel] ?? 0) +
        0.12 * fractal(x, y, { seed: 70, rough: 0.4 }) -
        0.3 * (y / height) ** 2 +
        0.015 * grain(x, y, 0),
    ),
  ],
  ['page of text', sharp(Buffer.from(page))],
  ['noise', paint((x, y, channel) => 0.5 + 0.8 * grain(x, y, channel))],
];
