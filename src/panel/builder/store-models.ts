import { revokeType } from '../../accounts/roles/grant-actions.js';
import { forbiddenError, validationError } from '../../errors.js';
import type { Running } from '../../http/running.js';
import { previewChange } from '../../mongo/models/preview-models.js';
import { removeModel, writeModels } from '../../mongo/stores/model-store.js';
import { inTransaction } from '../../mongo/send/transaction.js';
import type { PanelCall } from '../panel-route.js';
import { EditedModels } from './edited-models.js';
import { failHealthOnce } from './fail-health.js';

/** Returns whether models can be changed: always, unless they are files of a project in production. */
export const isEditable = ({ modelFiles, config }: Pick<Running, 'modelFiles' | 'config'>): boolean =>
  modelFiles === undefined || config.environment !== 'production';

/**
 * Changes models: checks the change as a whole, stores it, puts it in force, and writes the files of a project. Throws a
 * ForbiddenError if the models cannot be changed here, and a ValidationError with all problems of the models.
 */
export async function changeModels<Result>(
  { content, running }: PanelCall,
  change: (models: EditedModels) => Result,
): Promise<Result> {
  if (!isEditable(running)) throw forbiddenError('The models are files of the project: change them in development');
  const { backend, modelFiles } = running;
  const inForce = backend.models.inForce().models;
  const stored = await backend.models.readStored();
  const shown = [...inForce.values()].filter(({ uid }) => stored.every((model) => model.uid !== uid));
  // A built-in model that nobody has extended has no document: it begins without attributes of its own.
  const models = new EditedModels([...stored, ...shown.map((model) => ({ ...model, attributes: {} }))]);
  const result = change(models);
  const { changed, removed } = models;
  const { preview, expected } = await previewChange(changed, backend, removed);
  if (!preview.isValid) {
    const errors = Object.entries(preview.problems).flatMap(([uid, problems]) =>
      problems.map((message) => ({ path: [uid], message: `${uid}: ${message}`, name: 'ValidationError' })),
    );
    throw validationError(errors[0]?.message ?? 'the model is invalid', { errors });
  }
  await inTransaction(content.store.database, async (database) => {
    await writeModels(database, changed);
    for (const uid of removed) {
      await removeModel(database, uid);
      await revokeType(uid, { ...content.store, database });
    }
  });
  await backend.models.loadModels([...changed.map(({ uid }) => uid), ...removed], expected);
  await modelFiles?.write(changed);
  await modelFiles?.remove(removed);
  failHealthOnce(running);
  return result;
}
