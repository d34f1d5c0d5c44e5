/** Pixels of a cover. */
export const size = { width: 800, height: 500 } as const;

/** A colour for the whole cover, or one that turns into another downwards. */
export function sky(top: string, bottom: string): string {
  const stops = `<stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/>`;
  return `<linearGradient id="sky" x2="0" y2="1">${stops}</linearGradient><rect width="100%" height="100%" fill="url(#sky)"/>`;
}

export const disc = (x: number, y: number, radius: number, fill: string, opacity = 1): string =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="${fill}" opacity="${String(opacity)}"/>`;

export const line = (path: string, stroke: string, width: number, opacity = 1): string =>
  `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${round(width)}" stroke-linecap="round" opacity="${String(opacity)}"/>`;

export const area = (path: string, fill: string, opacity = 1): string =>
  `<path d="${path}" fill="${fill}" opacity="${String(opacity)}"/>`;

/** How a line swings about its height, in pixels. */
export interface Swing {
  readonly y: number;
  readonly height: number;
  readonly length: number;
  /** Where in its course it begins, in radians. */
  readonly phase: number;
}

/** The points of two waves laid over each other, from the left edge to the right. */
export function swell({ y, height, length, phase }: Swing): string {
  const at = (x: number): number =>
    y + height * Math.sin((2 * Math.PI * x) / length + phase) + (height / 3) * Math.sin((5 * Math.PI * x) / length - 2 * phase);
  const points = range(41).map((step) => step * 20);
  return points.map((x, index) => `${index === 0 ? 'M' : 'L'}${round(x)} ${round(at(x))}`).join('');
}

/** Everything below a swell. */
export const sea = (swing: Swing, fill: string, opacity = 1): string =>
  area(`${swell(swing)}V${String(size.height)}H0Z`, fill, opacity);

/** Points at equal angles around a centre; the first at the top. */
export function polygon(x: number, y: number, radius: number, corners: number): string {
  const points = range(corners).map((corner) => {
    const angle = (2 * Math.PI * corner) / corners - Math.PI / 2;
    return `${round(x + radius * Math.cos(angle))} ${round(y + radius * Math.sin(angle))}`;
  });
  return `M${points.join('L')}Z`;
}

export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** A number from 0 to 1 that looks like chance and is the same with every run. */
export function chance(seed: number): number {
  const value = Math.sin(seed * 127.1 + 311.7) * 43_758.5453;
  return value - Math.floor(value);
}

export const round = (value: number): string => String(Math.round(value * 10) / 10);
