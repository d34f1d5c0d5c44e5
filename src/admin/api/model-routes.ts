import { type ApiError, notFoundError, validationError } from '#base/errors.js';
import { removeType } from '#accounts/roles/grant-actions.js';
import { anything, flag, listOf, record } from '#http/json-schema.js';
import { parameter } from '#http/operation.js';
import { readModels, writeModels } from '#store/stores/model-store.js';
import { isRecord, type Values } from '#base/values.js';
import type { Model } from '#model/schema/model.js';
import { warningText, type ModelReport } from '#model/schema/report-models.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { describe, row, schemas, textParameter } from './admin-row.js';
import { type ModelPreview, modelPreviews } from '#store/models/preview-models.js';

/** Properties that GET adds to a model. */
const shown: readonly string[] = ['problems', 'warnings', 'affects'];

/** The keys of a `schema.json`, and `uid`. */
const modelKeys = [
  ...['uid', 'kind', 'collectionName', 'info', 'options', 'pluginOptions', 'attributes', 'adopt', 'shard', ...shown],
  'renamedFrom',
  ...['config', '$schema', 'connection', 'globalId', 'modelName', 'modelType'],
];
const modelBody = record(Object.fromEntries(modelKeys.map((key) => [key, anything])), []);

/** The schema of a body with one model, or with several that belong together. */
const modelsBody = {
  type: 'object',
  if: { required: ['models'] },
  then: record({ models: { type: 'array', minItems: 1, items: modelBody } }, []),
  else: modelBody,
} as const;

const dryRun = [parameter('dryRun', 'Only say what the change would do', flag)];

/**
 * The routes of content types and components, which are stored in `_models`. With `?dryRun=true` they return the effects of a
 * change and store nothing.
 */
export const modelRoutes: readonly AdminRoute[] = [
  row('GET /models', describe('adminFindModels', 'List models', listOf(schemas.model)), list),
  row(
    'POST /models/validate',
    describe('adminValidateModels', 'Check models and return the effects of storing them', schemas.preview),
    async (call) => (await modelPreviews.ofChange(modelsIn(call), backendFor(call))).preview,
    modelsBody,
  ),
  row('GET /models/:uid', describe('adminFindModel', 'Read a model', schemas.model), findModel),
  row('PUT /models/:uid', describe('adminWriteModel', 'Store a model', schemas.preview, dryRun), replace, modelBody),
  row('DELETE /models/:uid', describe('adminDeleteModel', 'Remove a model', schemas.preview, dryRun), remove),
];

/** Lists the stored models. Models whose problems affect others come first. */
async function list({ running: { backend }, content }: AdminCall): Promise<unknown> {
  const stored = new Map((await readModels(content.store.database)).map((model) => [model.uid, model]));
  const reports = backend.models.reports().flatMap((report) => {
    const model = stored.get(report.uid);
    return model === undefined ? [] : [{ ...model, ...stateOf(report) }];
  });
  return [...reports, ...[...stored.values()].filter(({ uid }) => reports.every((report) => report.uid !== uid))];
}

const stateOf = ({ problems, warnings, affects }: ModelReport) => ({ problems, warnings: warnings.map(warningText), affects });

async function findModel({ running: { backend }, request, content }: AdminCall): Promise<unknown> {
  const stored = await readModels(content.store.database);
  const model = stored.find(({ uid }) => uid === request.params['uid']);
  if (model === undefined) throw notFoundError('Model not found');
  const report = backend.models.reports().find(({ uid }) => uid === model.uid);
  return { ...model, ...(report === undefined ? { problems: [] } : stateOf(report)) };
}

/** Returns the models of a body, which is one model or `{ models: [...] }`. */
function modelsIn({ body }: AdminCall): { readonly uid: string }[] {
  const models = Array.isArray(body['models']) ? body['models'] : [body];
  return models.map((model: unknown) => {
    if (!isRecord(model) || typeof model['uid'] !== 'string') throw validationError('a model must have a uid');
    return withUid(model, model['uid']);
  });
}

/** Removes the properties that are not part of a model: those that GET adds, and `$schema`. */
function withUid(body: Values, uid: string): { readonly uid: string } {
  const model = Object.entries(body).filter(([name]) => !shown.includes(name) && name !== '$schema');
  return { ...Object.fromEntries(model), uid };
}

/** Returns the back end whose commands carry the id of the request. */
const backendFor = ({ running: { backend }, content }: AdminCall) => ({ ...backend, store: content.store });

/** Milliseconds that a PUT waits until the new names of a model are served. Further entries are moved in the background. */
const longestMove = 10_000;

function isDryRun({ request }: AdminCall): boolean {
  const value = textParameter(request, 'dryRun') ?? 'false';
  if (value !== 'true' && value !== 'false') throw validationError('dryRun must be true or false');
  return value === 'true';
}

async function replace(call: AdminCall): Promise<ModelPreview> {
  const { backend } = call.running;
  const uid = call.request.params['uid'] ?? '';
  if ((call.body['uid'] ?? uid) !== uid) throw validationError(`uid is ${String(call.body['uid'])}, but the path names ${uid}`);
  const model = withUid(call.body, uid);
  const { preview, expected } = await modelPreviews.ofChange([model], backendFor(call));
  if (isDryRun(call)) return preview;
  if (!preview.isValid) throw refusal(preview);
  await call.commit(({ store }) => writeModels(store.database, [model as unknown as Model])); // was checked by the preview
  await backend.models.loadModels([model.uid], expected);
  await backend.models.renames.moved(model.uid, longestMove);
  return preview;
}

async function remove(call: AdminCall): Promise<ModelPreview> {
  const uid = call.request.params['uid'] ?? '';
  const { backend } = call.running;
  const preview = await modelPreviews.ofRemoval(uid, backendFor(call));
  if (isDryRun(call)) return preview;
  if (!preview.isValid) throw refusal(preview);
  await call.commit(async ({ store }) => {
    if (!(await removeType(uid, store))) throw notFoundError('Model not found');
  });
  await backend.models.load();
  return preview;
}

const refusal = ({ problems }: ModelPreview): ApiError =>
  validationError(Object.values(problems).flat()[0] ?? 'the model is invalid', { problems });
