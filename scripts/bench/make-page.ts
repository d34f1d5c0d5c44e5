import { makeEntry, makePublishedAt, type MadeEntry } from './make-entry.js';
import { Random } from '../random.js';
import { authorCount, categoryCount, fileCount, tagCount, type Size } from './sizes.js';
import { makeText } from './words.js';

export const sectionCount = 20;
const blockCount = 6;

/** A page: 20 sections, each with a component inside, and a dynamic zone of six blocks of three kinds in turn; links are ids. */
export function makePage(id: number, size: Size): MadeEntry {
  const random = new Random(1_500_000_000 + id);
  const publishedAt = makePublishedAt(id, random);
  const sections = number(id, sectionCount).map((section) => makeSection(section, size, random));
  const blocks = number(id, blockCount).map((block, index) => makeBlock(block, index, { size, random }));
  return makeEntry(id, { title: makeText(random, 4), slug: `page-${String(id)}`, publishedAt, sections, blocks });
}

/** The ids of a page's parts: no two pages share one. */
const number = (page: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => (page - 1) * count + index + 1);

const makeSection = (id: number, size: Size, random: Random) => ({
  id,
  heading: makeText(random, 3),
  text: makeText(random, 20),
  author: 1 + random.below(authorCount(size)),
  cover: 1 + random.below(fileCount),
  link: makeLink(id, random),
});

const makeLink = (id: number, random: Random) => ({
  id,
  label: makeText(random, 1),
  url: `/${makeText(random, 1)}`,
  category: 1 + random.below(categoryCount),
});

function makeBlock(id: number, index: number, { size, random }: { readonly size: Size; readonly random: Random }): object {
  if (index % 3 === 0) {
    return { id, __component: 'page.quote', text: makeText(random, 12), author: 1 + random.below(authorCount(size)) };
  }
  if (index % 3 === 1) {
    return { id, __component: 'page.gallery', title: makeText(random, 2), images: random.draw(4, fileCount) };
  }
  return { id, __component: 'page.teaser', title: makeText(random, 2), tags: random.draw(3, tagCount) };
}
