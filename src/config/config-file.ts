import type { Config } from './config.js';
import type { Env } from './create-env.js';
import type { SectionName } from './sections.js';

/** What a file of config/ may export: any part of its section, or a function of `{ env }` that gives one. */
export type ConfigFile<S extends SectionName> =
  Given<Config[S]> | ((input: { readonly env: Env }) => Given<Config[S]> | Promise<Given<Config[S]>>);

/** Any part of a section; what can be switched off may be written as true or false. */
export type Given<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? PartialSection<T> | (T extends { readonly enabled: boolean } ? boolean : never)
    : T;

export type PartialSection<T> = { readonly [K in keyof T]?: Given<T[K]> | undefined };
