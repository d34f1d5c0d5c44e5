import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningService } from '#http/running.js';
import { modelPreviews } from '#store/models/preview-models.js';
import { servedCollections } from '#store/models/served-collections.js';
import { readModels, writeModels } from '#store/stores/model-store.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { type Model, type ModelDocument, isStoredAs } from '#model/schema/model.js';
import { valuesOf } from '#settings/translation.js';
import { isRecord, type Values } from '#base/values.js';
import type { PluginReport, ProjectPlugin } from '../load/load-plugins.js';

interface PluginType {
  readonly uid: string;
  readonly name: string;
  readonly schema: Values;
  readonly lifecycles: unknown;
}

/** Returns the content types in the code of a plugin. */
export const typesOf = ({ name: plugin, code }: Pick<ProjectPlugin, 'name' | 'code'>): readonly PluginType[] =>
  Object.entries(valuesOf(code.contentTypes)).flatMap(([key, type]) => {
    const { schema = type, lifecycles } = valuesOf(type);
    if (!isRecord(schema)) return [];
    const { singularName } = valuesOf(schema['info']);
    const name = typeof singularName === 'string' ? singularName : key;
    return [{ uid: `plugin::${plugin}.${name}`, name, schema, lifecycles }];
  });

/** Returns the models of a plugin. A schema.json of an extension replaces the keys that it has. */
export const modelsOf = (plugin: ProjectPlugin, directory: string): readonly Model[] =>
  typesOf(plugin).map(({ uid, name, schema }) => {
    const file = join(directory, 'src/extensions', plugin.name, 'content-types', name, 'schema.json');
    const extended = existsSync(file) ? valuesOf(JSON.parse(readFileSync(file, 'utf8'))) : {};
    const plain = JSON.parse(JSON.stringify({ ...schema, ...extended })) as Values; // without functions
    const kept = Object.entries(plain).filter(([key]) => key !== 'uid' && !key.startsWith('$'));
    return { uid, ...Object.fromEntries(kept) } as unknown as Model; // checked when it is built
  });

/** Stores the models that code decides, if they are valid and differ from the stored ones. Returns whether they differ. */
export async function storeCodeModels(
  modelsFor: (stored: readonly ModelDocument[]) => readonly ModelDocument[],
  { backend }: Pick<RunningService, 'backend'>,
  report: PluginReport,
): Promise<boolean> {
  const { database } = backend.store;
  const stored = await readModels(database);
  const models = modelsFor(stored);
  const changed = models.filter((model) => !isStoredAs(model, stored));
  if (changed.length === 0) return false;
  const all = [...stored.filter(({ uid }) => models.every((model) => model.uid !== uid)), ...models];
  const build = buildRegistry(all, { ...backend.settings, foreign: await servedCollections.findForeign(all, database) });
  const problems = new Map([...build.problems, ...(await modelPreviews.draftsLeft(stored, build, database))]);
  for (const { uid } of changed) if (problems.has(uid)) report(uid, problems.get(uid)?.join('; '));
  const valid = changed.filter(({ uid }) => !problems.has(uid));
  await writeModels(database, valid as unknown as readonly Model[]); // their form was checked
  return true;
}
