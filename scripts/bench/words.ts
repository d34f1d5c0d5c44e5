import { Random } from '../random.js';

const syllables = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bran cel dor fim gral'.split(' ');

/** 400 made-up words of five letters and more. */
export const vocabulary: readonly string[] = makeVocabulary(400);

/** `count` words of the vocabulary, with blanks between. */
export const makeText = (random: Random, count: number): string =>
  Array.from({ length: count }, () => vocabulary[random.below(vocabulary.length)]).join(' ');

function makeVocabulary(size: number): readonly string[] {
  const random = new Random(7);
  const words = new Set<string>();
  while (words.size < size) {
    const word = Array.from({ length: 3 }, () => syllables[random.below(syllables.length)]).join('');
    if (word.length >= 5) words.add(word);
  }
  return [...words];
}
