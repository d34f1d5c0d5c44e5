import { area, chance, disc, line, range, round } from './cover-shapes.js';

/** A tree on stilt roots; its trunk ends at the water. */
export function stilts(x: number, scale: number): string {
  const roots = range(9).map((index) => {
    const reach = (index - 4) * 24 * scale;
    return line(
      `M${round(x)} ${round(330 - 60 * scale)}Q${round(x + reach)} ${round(330 - 50 * scale)} ${round(x + reach * 1.25)} 470`,
      '#3b2a2a',
      5 * scale,
    );
  });
  const trunk = line(`M${round(x)} ${round(330 - 50 * scale)}V${round(330 - 160 * scale)}`, '#3b2a2a', 13 * scale);
  return (
    roots.join('') +
    trunk +
    area(crown(x, 330 - 165 * scale, 115 * scale), '#1e4d3d') +
    area(crown(x - 20 * scale, 330 - 185 * scale, 70 * scale), '#2c6a50')
  );
}

/** A cloud of leaves. */
export function crown(x: number, y: number, radius: number): string {
  const [w, h] = [radius, radius * 0.55] as const;
  return `M${round(x - w)} ${round(y + h * 0.4)}q${round(-w * 0.1)} ${round(-h)} ${round(w * 0.5)} ${round(-h)}q${round(w * 0.2)} ${round(-h * 0.7)} ${round(w * 0.7)} ${round(-h * 0.3)}q${round(w * 0.8)} ${round(-h * 0.2)} ${round(w * 0.7)} ${round(h * 0.8)}q${round(w * 0.4)} ${round(h * 0.6)} ${round(-w * 0.2)} ${round(h * 0.8)}q${round(-w * 0.9)} ${round(h * 0.3)} ${round(-w * 1.7)} ${round(-h * 0.3)}Z`;
}

/** A shoot with two leaves. */
export function seedling(x: number, y: number, scale: number): string {
  const top = y - 46 * scale;
  const leaf = (side: number): string =>
    area(
      `M${round(x)} ${round(top)}q${round(side * 22 * scale)} ${round(-26 * scale)} ${round(side * 34 * scale)} ${round(-4 * scale)}q${round(-side * 14 * scale)} ${round(16 * scale)} ${round(-side * 34 * scale)} ${round(4 * scale)}Z`,
      '#3d7a4c',
    );
  return line(`M${round(x)} ${round(y)}V${round(top)}`, '#56653a', 5 * scale) + leaf(1) + leaf(-1);
}

/** The coast of an island. */
export function ring(x: number, y: number, radius: number, seed: number): string {
  const points = range(60).map((step) => {
    const angle = (2 * Math.PI * step) / 60;
    const reach = radius * (1 + 0.1 * Math.sin(3 * angle + seed) + 0.05 * Math.sin(7 * angle - seed * 2));
    return `${round(x + reach * 1.25 * Math.cos(angle))} ${round(y + reach * 0.8 * Math.sin(angle))}`;
  });
  return `M${points.join('L')}Z`;
}

interface Branch {
  readonly x: number;
  readonly y: number;
  /** Degrees; -90 is upwards. */
  readonly angle: number;
  readonly length: number;
}

/** A coral: branches that fork a number of times. */
export function branches({ x, y, angle, length }: Branch, forks: number, seed: number): string {
  const radians = (angle * Math.PI) / 180;
  const end = { x: x + length * Math.cos(radians), y: y + length * Math.sin(radians) };
  const own = line(
    `M${round(x)} ${round(y)}L${round(end.x)} ${round(end.y)}`,
    ['#8f2d56', '#b23a5b', '#73235c', '#c9485b'][seed % 4] ?? '',
    2 + forks * 2.4,
  );
  if (forks === 0) return own + disc(end.x, end.y, 5, '#ffe3d3', 0.9);
  const spread = 16 + chance(seed * 17 + forks * 3 + x) * 18;
  return (
    own +
    [-spread, spread].map((turn) => branches({ ...end, angle: angle + turn, length: length * 0.76 }, forks - 1, seed)).join('')
  );
}
