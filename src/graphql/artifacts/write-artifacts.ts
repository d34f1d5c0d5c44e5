import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { printSchema, type GraphQLSchema } from 'graphql';
import { printTypescript } from './print-typescript.js';

/** Files to write with every new schema; false: none. */
export interface Artifacts {
  readonly schema: string | false;
  readonly typegen: string | false;
}

/** Writes the schema as SDL and as TypeScript declarations where the configuration names files for them. */
export async function writeArtifacts(schema: GraphQLSchema, { schema: sdl, typegen }: Artifacts): Promise<void> {
  if (sdl !== false) await write(sdl, `${printSchema(schema)}\n`);
  if (typegen !== false) await write(typegen, printTypescript(schema));
}

async function write(file: string, content: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
}
