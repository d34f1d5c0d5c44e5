import { createRequire } from 'node:module';
import type * as nexus from 'nexus';

export type Nexus = typeof nexus;

const load = createRequire(import.meta.url);

/** Loads Nexus on first use, because that takes 180 ms and most services do not use it. */
export const loadNexus = (): Nexus => load('nexus') as Nexus; // the package `nexus`
