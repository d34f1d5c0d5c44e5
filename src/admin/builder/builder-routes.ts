import { applicationError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { bodyOf } from '#http/route-request.js';
import { describeComponent, describeType, isVisible } from '#model/schema/describe-model.js';
import type { Model } from '#model/schema/model.js';
import { mapValues, recordIn } from '#base/values.js';
import { checkPanelBody } from '../check-body.js';
import { modelsOf } from '../content-manager/describe-model.js';
import { answerTypes } from '../content-manager/view-routes.js';
import { answerData, needing, type PanelCall, type PanelRoutes } from '../panel-route.js';
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
import { changeModels, rightToWrite } from './store-models.js';

const reads = needing(
  'plugin::content-type-builder.read',
  mapValues(
    {
      'GET /content-type-builder/reserved-names': () => ({ body: { models: reservedModels, attributes: reservedAttributes } }),
      'GET /content-type-builder/content-types': (call) => answerTypes(typesOf(call), call.request, describeType),
      'GET /content-type-builder/content-types/:uid': (call) => answerData(describeType(find('type', call))),
      'GET /content-type-builder/components': (call) => answerData(modelsOf(call.running, 'component').map(describeComponent)),
      'GET /content-type-builder/components/:uid': (call) => answerData(describeComponent(find('component', call))),
    },
    answering,
  ),
);

const writes = needing(
  rightToWrite,
  mapValues(
    {
      'POST /content-type-builder/content-types': createType,
      'PUT /content-type-builder/content-types/:uid': updateType,
      'DELETE /content-type-builder/content-types/:uid': deleteType,
      'POST /content-type-builder/components': createComponent,
      'PUT /content-type-builder/components/:uid': updateComponent,
      'DELETE /content-type-builder/components/:uid': deleteComponent,
      'PUT /content-type-builder/component-categories/:name': renameCategory,
      'DELETE /content-type-builder/component-categories/:name': deleteCategory,
    },
    answering,
  ),
);

/** The routes of the content-type builder. */
export const builderRoutes: PanelRoutes = { ...reads, ...writes };

const typesOf = ({ running }: PanelCall): readonly Model[] =>
  modelsOf(running, 'type').filter(({ uid }) => !uid.startsWith('admin::'));

function find(kind: 'type' | 'component', call: PanelCall): Model {
  const models = kind === 'type' ? typesOf(call) : modelsOf(call.running, 'component');
  const model = models.find(({ uid }) => uid === call.request.params['uid']);
  if (model === undefined) throw new Refusal(404, kind === 'type' ? 'contentType.notFound' : 'component.notFound');
  return model;
}

/** Returns a type that the builder shows. */
function findVisible(call: PanelCall): Model {
  const model = find('type', call);
  if (!isVisible(model, 'content-type-builder')) throw new Refusal(404, 'contentType.notFound');
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
