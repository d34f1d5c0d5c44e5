import { branches, crown, ring, seedling, stilts } from './cover-motifs.js';
import { area, chance, disc, line, polygon, range, round, sea, sky, swell } from './cover-shapes.js';

/** The content of an SVG of 800 x 500 for each cover, by its name. */
export const scenes: Readonly<Record<string, () => string>> = {
  mangrove: () =>
    sky('#f4b15f', '#f7dcae') +
    disc(560, 210, 74, '#fdf1d6') +
    sea({ y: 330, height: 4, length: 500, phase: 1 }, '#2f7f7a') +
    stilts(300, 1.15) +
    stilts(560, 0.7) +
    stilts(90, 0.6) +
    sea({ y: 420, height: 5, length: 380, phase: 2 }, '#1f5f63', 0.92) +
    sea({ y: 460, height: 5, length: 300, phase: 4 }, '#174a50'),

  honeycomb: () => {
    const fills = ['#f3b23c', '#eda125', '#f8c968', '#d98518', '#fbe0a0', '#b96a10'];
    const cells = range(9).flatMap((row) =>
      range(12).map((column) => {
        const [x, y] = [column * 76 + (row % 2) * 38 - 10, row * 66 - 6] as const;
        return area(polygon(x, y, 41, 6), fills[Math.floor(chance(row * 31 + column) * fills.length)] ?? '', 0.95);
      }),
    );
    return sky('#7a3f08', '#522804') + cells.join('');
  },

  lagoon: () =>
    sky('#fbe9dd', '#f6b7a6') +
    sea({ y: 210, height: 6, length: 700, phase: 0 }, '#e98f8c') +
    sea({ y: 290, height: 8, length: 560, phase: 2 }, '#d66f7d') +
    sea({ y: 380, height: 10, length: 620, phase: 4 }, '#b9526c') +
    range(46)
      .map((index) => {
        const [x, y] = [chance(index) * 800, 250 + chance(index + 99) * 240] as const;
        return area(polygon(x, y, 4 + (y - 240) / 16, 4), '#fff4ee', 0.35 + chance(index + 7) * 0.5);
      })
      .join(''),

  tides: () =>
    sky('#13294b', '#27497a') +
    range(7)
      .map((index) => {
        const x = 100 + index * 100;
        return disc(x, 110, 27, '#f2ead2') + disc(x + (index - 3) * 20, 110, index === 3 ? 0 : 29, '#182f54');
      })
      .join('') +
    range(9)
      .map((index) =>
        line(
          swell({ y: 230 + index * 30, height: 26 - index * 2, length: 400, phase: index * 0.7 }),
          '#8fd0d6',
          5,
          1 - index * 0.09,
        ),
      )
      .join(''),

  seagrass: () =>
    sky('#a8e0d8', '#1f7d86') +
    range(3)
      .map((index) => area(`M${String(120 + index * 230)} 0l70 0l150 500l-260 0Z`, '#ffffff', 0.08))
      .join('') +
    range(64)
      .map((index) => {
        const [x, height] = [chance(index) * 820 - 10, 120 + chance(index + 50) * 250] as const;
        const lean = (chance(index + 200) - 0.35) * 120;
        const path = `M${round(x)} 505q${round(-lean / 2)} ${round(-height / 2)} ${round(lean)} ${round(-height)}`;
        return line(path, ['#0d4f45', '#15705a', '#2f9467', '#6dbb73'][index % 4] ?? '', 6 + chance(index + 9) * 7);
      })
      .join(''),

  lighthouse: () =>
    sky('#1b1f3b', '#55426b') +
    range(40)
      .map((index) => disc(chance(index) * 800, chance(index + 60) * 260, 1 + chance(index + 3) * 1.4, '#fff', 0.7))
      .join('') +
    area('M520 178L-20 60V300Z', '#ffe9a8', 0.28) +
    area('M520 178L820 90V250Z', '#ffe9a8', 0.28) +
    area('M496 200h48l18 230h-84Z', '#f3ece2') +
    area('M491 260h58l4 50h-66ZM484 350h72l4 50h-80Z', '#c8413b') +
    area('M500 160h40v40h-40Z', '#ffe9a8') +
    area('M494 160L520 132L546 160Z', '#c8413b') +
    area('M380 440q140 -60 280 0v70h-280Z', '#2a2440') +
    sea({ y: 420, height: 7, length: 320, phase: 1 }, '#2b3a63', 0.9) +
    sea({ y: 455, height: 6, length: 260, phase: 3 }, '#1c2747'),

  strata: () =>
    sky('#cfe3d4', '#e8efd6') +
    ['#6f9a5d', '#8a7b4f', '#6d5a3d', '#54422f', '#3c2f25', '#261f1b']
      .map((fill, index) =>
        sea({ y: 120 + index * 66, height: 9 + index * 2, length: 760 - index * 70, phase: index * 1.3 }, fill),
      )
      .join('') +
    range(70)
      .map((index) => disc(chance(index) * 800, 210 + chance(index + 30) * 280, 2 + chance(index + 5) * 5, '#f0dcb0', 0.28))
      .join(''),

  seedlings: () =>
    sky('#f7efe0', '#e5d3b5') +
    disc(640, 120, 60, '#f0a35b') +
    range(4)
      .map((row) => {
        const y = 240 + row * 75;
        const plants = range(9).map((index) => seedling(40 + index * (80 + row * 8) - row * 30, y + 6, 0.6 + row * 0.22));
        return (
          sea({ y, height: 5, length: 520, phase: row }, ['#b98f63', '#a0764d', '#84603f', '#664a32'][row] ?? '') +
          plants.join('')
        );
      })
      .join(''),

  contours: () =>
    sky('#0f4c5c', '#12606c') +
    area(ring(430, 260, 250, 4), '#e9dcb5') +
    range(7)
      .map((index) => line(ring(430 - index * 8, 260 + index * 5, 232 - index * 31, 4 + index), '#a8743d', 2.5, 0.9))
      .join('') +
    range(6)
      .map((index) => line(ring(430, 260, 278 + index * 34, 4), '#7fc4bd', 2, 0.7 - index * 0.1))
      .join('') +
    line('M60 420C180 330 260 420 340 330S470 250 520 190', '#d1433f', 4) +
    disc(520, 190, 10, '#d1433f'),

  fireflies: () =>
    sky('#0b1d2c', '#1d4350') +
    range(5)
      .map((index) => area(crown(80 + index * 165, 300 - chance(index) * 80, 120), '#081a1e', 0.95))
      .join('') +
    sea({ y: 400, height: 4, length: 420, phase: 1 }, '#0a2a33') +
    range(60)
      .map((index) => {
        const [x, y] = [chance(index) * 800, 130 + chance(index + 40) * 260] as const;
        return (
          disc(x, y, 11, '#e8ff8a', 0.16) + disc(x, y, 3, '#f4ffc0', 0.95) + disc(x, 806 - y, 2, '#e8ff8a', y > 320 ? 0.5 : 0)
        );
      })
      .join(''),

  coral: () =>
    sky('#ffd9c2', '#f0745f') +
    [130, 330, 520, 700].map((x, index) => branches({ x, y: 510, angle: -90, length: 96 + index * 7 }, 6, index)).join('') +
    range(24)
      .map((index) => disc(chance(index) * 800, chance(index + 80) * 320, 3 + chance(index) * 7, '#fff', 0.4))
      .join(''),

  storm: () =>
    sky('#cdd8dc', '#6d8793') +
    range(90)
      .map((index) => {
        const [angle, radius] = [index * 0.22, 14 + index * 4.6] as const;
        const [x, y] = [400 + radius * Math.cos(angle) * 1.25, 250 + radius * Math.sin(angle) * 0.8] as const;
        return disc(x, y, 10 + index * 0.5, index % 3 === 0 ? '#f4f7f8' : '#2f4b5b', 0.3);
      })
      .join('') +
    disc(400, 250, 16, '#f4f7f8'),
};
