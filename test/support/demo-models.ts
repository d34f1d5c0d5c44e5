import { readdirSync, readFileSync } from 'node:fs';
import type { TestModel } from './serve.js';

const directory = new URL('../../config/demo/models/', import.meta.url);

/** The models of the demo magazine. */
export const demoModels = (): TestModel[] =>
  readdirSync(directory).map((file) => JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as TestModel);
