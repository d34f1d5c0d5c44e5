import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isRecord } from '#base/values.js';

// The parts of esbuild that are used. The package is not a dependency of the service.

export interface Bundler {
  build(options: BundlerOptions): Promise<{ readonly metafile: Metafile; readonly outputFiles?: readonly OutputFile[] }>;
}

/** A file that is not written. */
interface OutputFile {
  readonly path: string;
  readonly contents: Uint8Array;
  readonly text: string;
}

export type BundlerOptions = Readonly<Record<string, unknown>>;

/** What a bundle was made of, and the files that were written. */
export interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, { readonly bytes: number; readonly entryPoint?: string }>>;
}

export interface BundlerError {
  readonly text: string;
  readonly location: { readonly file: string; readonly line: number } | null;
}

export interface BundlerPlugin {
  readonly name: string;
  setup(build: BundlerSetup): void;
}

export interface BundlerSetup {
  onResolve(options: { readonly filter: RegExp }, resolve: (request: Import) => Promise<Resolution> | Resolution): void;
  onLoad(
    options: { readonly filter: RegExp; readonly namespace: string },
    load: (file: ResolvedFile) => Promise<Loaded> | Loaded,
  ): void;
  resolve(
    path: string,
    options: Readonly<Record<string, unknown>>,
  ): Promise<ResolvedFile & { readonly errors: readonly unknown[] }>;
}

/** An import of a module. */
export interface Import {
  readonly path: string;
  /** The file with the import. */
  readonly importer: string;
  readonly kind: string;
  readonly resolveDir: string;
  readonly pluginData?: unknown;
}

/** Undefined leaves the import to esbuild. */
type Resolution = ResolvedFile | { readonly path: string; readonly external: true } | undefined;

export interface ResolvedFile {
  readonly path: string;
  readonly namespace?: string;
}

/** Undefined leaves the file to esbuild. */
type Loaded = { readonly contents: string; readonly loader?: string; readonly resolveDir?: string } | undefined;

/** Returns esbuild of a folder of packages. */
export const loadBundler = (folder: string): Bundler => createRequire(join(folder, 'package.json'))('esbuild') as Bundler; // that is what the package exports

/** Returns the errors of a build that has failed. Throws everything else again. */
export function errorsOf(failure: unknown): readonly BundlerError[] {
  if (isRecord(failure) && Array.isArray(failure['errors'])) return failure['errors'] as readonly BundlerError[]; // of esbuild
  throw failure;
}

/** Returns an error in one line, with the place. */
export const describeError = ({ text, location }: BundlerError): string =>
  location === null ? text : `${location.file}:${String(location.line)}: ${text}`;
