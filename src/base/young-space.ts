import { setFlagsFromString } from 'node:v8';

/**
 * Sets how fast V8 grows the space for new objects. By default it doubles the space while many objects survive, as modules do when they
 * are loaded, and hardly ever shrinks it. Growth is off while modules are loaded, which saves 30 MB of resident memory at a start.
 */
export function growYoungSpace(factor: 1 | 2): void {
  setFlagsFromString(`--semi-space-growth-factor=${String(factor)}`);
}

/** Loads modules while the space does not grow. */
export async function withoutGrowth<Module>(load: () => Promise<Module>): Promise<Module> {
  growYoungSpace(1);
  try {
    return await load();
  } finally {
    growYoungSpace(2);
  }
}
