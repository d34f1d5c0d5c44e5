/**
 * Returns how often a test of random or racing inputs runs: `usual` times, or `all` times with `ALL_ROUNDS=1`, which is for those who
 * change what it tests. The usual rounds meet each kind of input several times.
 */
export const roundsOf = (usual: number, all: number): number => (process.env['ALL_ROUNDS'] === '1' ? all : usual);
