/** A bar, and the mark that it should stay below; null: there is none. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly mark: number | null;
}

interface Plot {
  readonly title: string;
  /** The unit of the values, such as `times the baseline's CPU`. */
  readonly unit: string;
  readonly bars: readonly Bar[];
}

const width = 760;
const left = 330;
const right = 60;
const rowHeight = 22;
const top = 52;

/** Draws horizontal bars as SVG, each with its value and its mark; values that span more than two decades on a logarithmic scale. */
export function plotBars({ title, unit, bars }: Plot): string {
  const scale = createScale(bars);
  const height = top + bars.length * rowHeight + 12;
  const rows = bars.map((bar, index) => drawBar(bar, top + index * rowHeight, scale));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${String(width)}" height="${String(height)}" viewBox="0 0 ${String(width)} ${String(height)}" role="img" aria-label="${escape(title)}">`,
    `<rect width="${String(width)}" height="${String(height)}" fill="#fff"/>`,
    '<g font-family="system-ui, sans-serif" font-size="13" fill="#1f2933">',
    `<text x="12" y="22" font-size="15" font-weight="600">${escape(title)}</text>`,
    `<text x="12" y="40" fill="#52606d">${escape(unit)}; the line is the goal</text>`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Returns the place of a value on the x axis, in pixels from the left end of the bars. */
type Scale = (value: number) => number;

function createScale(bars: readonly Bar[]): Scale {
  const values = bars.flatMap(({ value, mark }) => (mark === null ? [value] : [value, mark]));
  const [least, most] = [Math.min(...values, 1), Math.max(...values, 1)];
  const room = width - left - right;
  if (most / least <= 100) return (value) => (value / most) * room;
  const decades = Math.log10(most / least) + 0.2;
  return (value) => ((Math.log10(value / least) + 0.2) / decades) * room;
}

function drawBar({ label, value, mark }: Bar, y: number, scale: Scale): string {
  const length = Math.max(scale(value), 1);
  const isOver = mark !== null && value > mark;
  const goal =
    mark === null ? '' : `<path d="M${at(left + scale(mark))} ${at(y)}v${at(rowHeight - 4)}" stroke="#1f2933" stroke-width="2"/>`;
  return [
    `<text x="${at(left - 8)}" y="${at(y + 14)}" text-anchor="end">${escape(label)}</text>`,
    `<rect x="${at(left)}" y="${at(y + 2)}" width="${at(length)}" height="${at(rowHeight - 8)}" fill="${isOver ? '#d9822b' : '#2f7d5b'}"/>`,
    `<text x="${at(left + length + 6)}" y="${at(y + 14)}">${value.toFixed(2)}</text>`,
    goal,
  ].join('');
}

const at = (pixels: number): string => String(Math.round(pixels * 10) / 10);

const escape = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
