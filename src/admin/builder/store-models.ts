import { removeType } from '#accounts/roles/grant-actions.js';
import { forbiddenError, validationError } from '#base/errors.js';
import type { RunningService } from '#http/running.js';
import type { ModelDocument } from '#model/schema/model.js';
import { removedData } from '#store/models/removed-data.js';
import { removedParts } from '#store/stores/removed-store.js';
import { modelPreviews } from '#store/models/preview-models.js';
import { writeModels } from '#store/stores/model-store.js';
import { inTransaction } from '#store/send/transaction.js';
import type { PanelCall } from '../panel-route.js';
import { may } from '../rights/rights.js';
import { EditedModels } from './edited-models.js';
import { failHealthOnce } from './fail-health.js';

/** The right to change models. To read them is a right of its own. */
export const rightToWrite = 'plugin::content-type-builder.update';

/** Returns whether models can be changed: always, unless they are files of a project in production. */
const isEditable = ({ modelFiles, config }: Pick<RunningService, 'modelFiles' | 'config'>): boolean =>
  modelFiles === undefined || config.environment !== 'production';

/** Returns whether the right to change models holds: in production only if the setting says so, except for super admins. */
const isOpen = ({ running: { config }, rights }: Pick<PanelCall, 'running' | 'rights'>): boolean =>
  rights.isSuper || config.environment !== 'production' || config.admin.builder === 'write';

/** Returns whether an administrator may change models here. */
export const mayChangeModels = (call: PanelCall): boolean =>
  may(call.rights, rightToWrite) && isOpen(call) && isEditable(call.running);

/**
 * Changes models: checks the change as a whole, stores it, puts it in force, and writes the files of a project. Throws a
 * ForbiddenError if the models cannot be changed here, and a ValidationError with all problems of the models.
 */
export async function changeModels<Result>(call: PanelCall, change: (models: EditedModels) => Result): Promise<Result> {
  const { content, running } = call;
  if (!isOpen(call)) throw forbiddenError('Only super admins change models in production, unless admin.builder is "write"');
  if (!isEditable(running)) throw forbiddenError('The models are files of the project: change them in development');
  const { backend, modelFiles } = running;
  const inForce = backend.models.inForce().models;
  const stored = await backend.models.readStored();
  const shown = [...inForce.values()].filter(({ uid }) => stored.every((model) => model.uid !== uid));
  // A built-in model that nobody has extended has no document: it begins without attributes of its own.
  const models = new EditedModels([...stored, ...shown.map((model) => ({ ...model, attributes: {} }))]);
  const result = change(models);
  const { changed, removed } = models;
  const { preview, expected } = await modelPreviews.ofChange(changed, backend, removed);
  if (!preview.isValid) {
    const errors = Object.entries(preview.problems).flatMap(([uid, problems]) =>
      problems.map((message) => ({ path: [uid], message: `${uid}: ${message}`, name: 'ValidationError' })),
    );
    throw validationError(errors[0]?.message ?? 'the model is invalid', { errors });
  }
  await refuseLeftData(changed, { documents: stored, backend });
  await inTransaction(content.store.database, async (database) => {
    await writeModels(database, changed);
    for (const uid of removed) await removeType(uid, { ...content.store, database });
  });
  await backend.models.loadModels([...changed.map(({ uid }) => uid), ...removed], expected);
  await modelFiles?.write(changed);
  await modelFiles?.remove(removed);
  failHealthOnce(running);
  return result;
}

/**
 * Throws a ValidationError if a new type or attribute would begin with the data of a removed one: what is new in the builder is empty.
 */
async function refuseLeftData(
  changed: readonly ModelDocument[],
  { documents, backend }: { readonly documents: readonly ModelDocument[]; readonly backend: RunningService['backend'] },
): Promise<void> {
  const { database } = backend.store;
  const removed = await removedParts.read(database);
  if (removed.length === 0) return;
  const now = await removedData.modelsNow(database, backend.settings, documents);
  for (const part of removed.filter((one) => removedData.wouldReturn(one, changed, now))) {
    const count = await removedData.count(part, now, database);
    const words = part.attribute === null ? part.uid : `${part.uid} ${part.attribute}`;
    if (count > 0)
      throw validationError(
        `The data of the removed ${words} is still stored: npx mangrove models restore-removed ${words} brings it back, and npx mangrove models purge ${words} --yes deletes it`,
      );
  }
}
