import { applicationError } from '../../errors.js';
import type { Answer } from '../../http/route.js';
import { bodyOf, parameterOf } from '../../http/route-request.js';
import { describeComponent, describeType, isVisible } from '../../schema/describe-model.js';
import type { Model } from '../../schema/model.js';
import { recordIn } from '../../values.js';
import { checkPanelBody } from '../check-body.js';
import { modelsOf } from '../content-manager/describe-model.js';
import { answerData, type PanelCall, type PanelRoute } from '../panel-route.js';
import { answering, Refusal } from './builder-answer.js';
import {
  addComponent,
  addType,
  changeComponent,
  changeNested,
  changeType,
  componentsIn,
  moveComponent,
  removeComponent,
  removeType,
} from './change-models.js';
import { categoryBody, componentBody, typeBody, withoutRemains } from './model-bodies.js';
import { reservedAttributes, reservedModels, slugOf } from './names.js';
import { changeModels } from './store-models.js';

const prefix = '/content-type-builder';

const route = (method: PanelRoute['method'], path: string, work: (call: PanelCall) => Promise<Answer>): PanelRoute => ({
  ...{ method, path: `${prefix}${path}`, right: 'plugin::content-type-builder.read' },
  handle: (call: PanelCall) => answering(() => work(call)),
});

/** The routes of the content-type builder. */
export const builderRoutes: readonly PanelRoute[] = [
  route('GET', '/reserved-names', () => Promise.resolve({ body: { models: reservedModels, attributes: reservedAttributes } })),
  route('GET', '/content-types', listTypes),
  route('POST', '/content-types', createType),
  route('GET', '/content-types/:uid', (call) => Promise.resolve(answerData(describeType(find('type', call))))),
  route('PUT', '/content-types/:uid', updateType),
  route('DELETE', '/content-types/:uid', deleteType),
  route('GET', '/components', ({ running }) =>
    Promise.resolve(answerData(modelsOf(running, 'component').map(describeComponent))),
  ),
  route('POST', '/components', createComponent),
  route('GET', '/components/:uid', (call) => Promise.resolve(answerData(describeComponent(find('component', call))))),
  route('PUT', '/components/:uid', updateComponent),
  route('DELETE', '/components/:uid', deleteComponent),
  route('PUT', '/component-categories/:name', renameCategory),
  route('DELETE', '/component-categories/:name', deleteCategory),
];

const typesOf = ({ running }: PanelCall): readonly Model[] =>
  modelsOf(running, 'type').filter(({ uid }) => !uid.startsWith('admin::'));

/** Answers an unknown kind with the message of Strapi v4. */
async function listTypes(call: PanelCall): Promise<Answer> {
  const kind = parameterOf(call.request, 'kind');
  const kinds = ['singleType', 'collectionType'];
  if (kind !== undefined && !kinds.includes(String(kind))) {
    const message = `this must be one of the following values: ${kinds.join(', ')}`;
    const details = { errors: [{ path: [], message, name: 'ValidationError' }] };
    return { status: 400, body: { error: { name: 'ValidationError', details, message } } };
  }
  return answerData(
    typesOf(call)
      .filter((model) => kind === undefined || model.kind === kind)
      .map(describeType),
  );
}

function find(kind: 'type' | 'component', call: PanelCall): Model {
  const models = kind === 'type' ? typesOf(call) : modelsOf(call.running, 'component');
  const model = models.find(({ uid }) => uid === call.request.params['uid']);
  if (model === undefined) throw new Refusal(404, kind === 'type' ? 'contentType.notFound' : 'component.notFound');
  return model;
}

/** Returns a type that the builder shows. */
function findVisible(call: PanelCall): Model {
  const model = find('type', call);
  if (!isVisible(model)) throw new Refusal(404, 'contentType.notFound');
  return model;
}

const modelsIn = ({ running }: PanelCall): readonly Model[] => [...running.backend.models.inForce().models.values()];

async function createType(call: PanelCall): Promise<Answer> {
  const body = bodyOf(call.request);
  await checkPanelBody(typeBody(body, modelsIn(call), true), body);
  const uid = await changeModels(call, (models) =>
    addType(recordIn(body, 'contentType'), changeNested(body['components'], models), models),
  );
  return answerData({ uid }, 201);
}

async function updateType(call: PanelCall): Promise<Answer> {
  const { uid } = findVisible(call);
  const body = withoutRemains(bodyOf(call.request));
  await checkPanelBody(typeBody(body, modelsIn(call), false), body);
  await changeModels(call, (models) => {
    changeType(uid, recordIn(body, 'contentType'), { uids: changeNested(body['components'], models), models });
  });
  return answerData({ uid }, 201);
}

async function deleteType(call: PanelCall): Promise<Answer> {
  const { uid } = findVisible(call);
  await changeModels(call, (models) => {
    removeType(uid, models);
  });
  return answerData({ uid });
}

async function createComponent(call: PanelCall): Promise<Answer> {
  const body = bodyOf(call.request);
  await checkPanelBody(componentBody(modelsIn(call)), body);
  const uid = await changeModels(call, (models) =>
    addComponent(recordIn(body, 'component'), changeNested(body['components'], models), models),
  );
  return answerData({ uid }, 201);
}

async function updateComponent(call: PanelCall): Promise<Answer> {
  const former = find('component', call).uid;
  const body = withoutRemains(bodyOf(call.request));
  await checkPanelBody(componentBody(modelsIn(call)), body);
  const uid = await changeModels(call, (models) => {
    const uids = changeNested(body['components'], models);
    return changeComponent(former, recordIn(body, 'component'), { uids, models, path: ['component'] });
  });
  return answerData({ uid });
}

async function deleteComponent(call: PanelCall): Promise<Answer> {
  const { uid } = find('component', call);
  await changeModels(call, (models) => {
    removeComponent(uid, models);
  });
  return answerData({ uid });
}

const categoryOf = ({ request }: PanelCall): string => request.params['name'] ?? '';

async function renameCategory(call: PanelCall): Promise<Answer> {
  const { name = '' } = await checkPanelBody(categoryBody, bodyOf(call.request));
  const category = slugOf(name ?? '');
  await changeCategory(call, (uids, models) => {
    for (const uid of uids) moveComponent(uid, category, models);
  });
  return { body: { name: category } };
}

async function deleteCategory(call: PanelCall): Promise<Answer> {
  await changeCategory(call, (uids, models) => {
    for (const uid of uids) removeComponent(uid, models);
  });
  return { body: { name: categoryOf(call) } };
}

type ChangeComponents = (uids: readonly string[], models: Parameters<Parameters<typeof changeModels>[1]>[0]) => void;

const changeCategory = (call: PanelCall, change: ChangeComponents): Promise<void> =>
  changeModels(call, (models) => {
    const uids = componentsIn(categoryOf(call), models);
    if (uids.length === 0) throw applicationError('category not found');
    change(uids, models);
  });
