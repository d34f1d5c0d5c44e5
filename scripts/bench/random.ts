/** Numbers from 0 to below 1. */
export type Random = () => number;

/** A random number generator of 32 bits of state: the same seed gives the same numbers on every machine. */
export function makeRandom(seed: number): Random {
  // A counter of odd step (2^32 over the golden ratio), its bits mixed by the finalizer of MurmurHash3.
  let counter = Math.imul(seed + 1, 0x9e3779b9);
  return () => {
    counter = (counter + 0x9e3779b9) | 0;
    let bits = counter ^ (counter >>> 16);
    bits = Math.imul(bits, 0x85ebca6b);
    bits ^= bits >>> 13;
    bits = Math.imul(bits, 0xc2b2ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from 0 to below `limit`. */
export const below = (random: Random, limit: number): number => Math.floor(random() * limit);

/** `count` different whole numbers from 1 to `last`, in the order in which they were drawn. */
export function draw(random: Random, count: number, last: number): readonly number[] {
  const drawn = new Set<number>();
  while (drawn.size < count) drawn.add(1 + below(random, last));
  return [...drawn];
}
