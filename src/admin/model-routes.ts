import { type ApiError, notFoundError, validationError } from '../errors.js';
import { revokeType } from '../accounts/grant-actions.js';
import { readModels, removeModel, writeModels } from '../mongo/model-store.js';
import { isValues } from '../schema/check-input.js';
import type { Model } from '../schema/model.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { previewModels, previewRemoval, type ModelPreview } from './preview-models.js';

/** Content types and components: the documents of `_models`. `?dryRun=true` says what a change would do, and does nothing. */
export const modelRoutes: readonly AdminRoute[] = [
  { method: 'GET', path: '/models', handle: list },
  { method: 'POST', path: '/models/validate', handle: (call) => previewModels(modelsIn(call), call.backend) },
  { method: 'GET', path: '/models/:uid', handle: findModel },
  { method: 'PUT', path: '/models/:uid', handle: replace },
  { method: 'DELETE', path: '/models/:uid', handle: remove },
];

async function list({ backend }: AdminCall): Promise<unknown> {
  const stored = await readModels(backend.store.database);
  const problems = backend.models.problems();
  return stored.map((model) => ({ ...model, problems: problems.get(model.uid) ?? [] }));
}

async function findModel({ backend, params }: AdminCall): Promise<unknown> {
  const model = (await readModels(backend.store.database)).find(({ uid }) => uid === params['uid']);
  if (model === undefined) throw notFoundError('Model not found');
  return { ...model, problems: backend.models.problems().get(model.uid) ?? [] };
}

/** A body holds one model, or several that belong together: `{ models: [...] }`. */
function modelsIn({ body }: AdminCall): { readonly uid: string }[] {
  const given = Array.isArray(body['models']) ? body['models'] : [body];
  return given.map((model: unknown) => {
    if (!isValues(model) || typeof model['uid'] !== 'string') throw validationError('a model must have a uid');
    return { ...model, uid: model['uid'] };
  });
}

const isDryRun = ({ ctx }: AdminCall): boolean => ctx.query['dryRun'] === 'true';

async function replace(call: AdminCall): Promise<ModelPreview> {
  const { backend, params, body } = call;
  const model = { ...body, uid: params['uid'] ?? '' };
  const preview = await previewModels([model], backend);
  if (isDryRun(call)) return preview;
  if (!preview.isValid) throw refusal(preview);
  await call.commit(({ store }) => writeModels(store.database, [model as unknown as Model])); // its form was checked for the preview
  await backend.models.load();
  return preview;
}

async function remove(call: AdminCall): Promise<ModelPreview> {
  const uid = call.params['uid'] ?? '';
  const { backend } = call;
  const preview = await previewRemoval(uid, backend);
  if (isDryRun(call)) return preview;
  if (!preview.isValid) throw refusal(preview);
  await call.commit(async (content) => {
    if (!(await removeModel(content.store.database, uid))) throw notFoundError('Model not found');
    await revokeType(uid, content);
  });
  await backend.models.load();
  return preview;
}

const refusal = ({ problems }: ModelPreview): ApiError =>
  validationError(Object.values(problems).flat()[0] ?? 'the model is wrong', { problems });
