import { forbiddenError, notFoundError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { bodyOf, parameterOf } from '#http/route-request.js';
import type { Model } from '#model/schema/model.js';
import { answerData, needing, type PanelCall, type PanelRoutes } from '../panel-route.js';
import { may } from '../rights/rights.js';
import { checkView } from './check-view.js';
import { describeComponent, describeType, modelsOf } from './describe-model.js';
import { fieldSizes, type ViewConfiguration, readView, writeView } from './view-configuration.js';

/** The routes of content types and components, and of how the panel shows their entries. */
export const viewRoutes: PanelRoutes = {
  ...needing('logged in', {
    'GET /content-manager/init': init,
    'GET /content-manager/content-types': ({ running, request }) => answerTypes(modelsOf(running, 'type'), request, describeType),
    'GET /content-manager/content-types-settings': typeSettings,
    'GET /content-manager/content-types/:uid/configuration': typeView,
    'PUT /content-manager/content-types/:uid/configuration': changeTypeView,
    'GET /content-manager/components': ({ running }) => answerData(modelsOf(running, 'component').map(describeComponent)),
    'GET /content-manager/components/:uid/configuration': componentView,
  }),
  'PUT /content-manager/components/:uid/configuration': {
    right: 'plugin::content-manager.components.configure-layout',
    handle: changeComponentView,
  },
};

function init({ running }: PanelCall): Answer {
  return answerData({
    fieldSizes,
    components: modelsOf(running, 'component').map(describeComponent),
    contentTypes: modelsOf(running, 'type').map(describeType),
  });
}

/** Answers the models of the kind that a request asks for. An unknown kind is answered as by Strapi v4, without `data` and a status. */
export function answerTypes(models: readonly Model[], request: PanelCall['request'], describe: (model: Model) => object): Answer {
  const kind = parameterOf(request, 'kind');
  const kinds = ['singleType', 'collectionType'];
  if (kind === undefined || kinds.includes(String(kind)))
    return answerData(models.filter((model) => kind === undefined || model.kind === kind).map(describe));
  const message = `this must be one of the following values: ${kinds.join(', ')}`;
  const details = { errors: [{ path: [], message, name: 'ValidationError' }] };
  return { status: 400, body: { error: { name: 'ValidationError', details, message } } };
}

const modelsByUid = ({ running }: PanelCall): ReadonlyMap<string, Model> => running.backend.models.inForce().models;

const viewOf = (model: Model, call: PanelCall): Promise<ViewConfiguration> =>
  readView(model, modelsByUid(call), call.content.store.database);

async function typeSettings(call: PanelCall): Promise<Answer> {
  const types = modelsOf(call.running, 'type');
  return answerData(
    await Promise.all(types.map(async (model) => ({ uid: model.uid, settings: (await viewOf(model, call)).settings }))),
  );
}

function find(call: PanelCall, kind: 'type' | 'component'): Model {
  const model = modelsOf(call.running, kind).find(({ uid }) => uid === call.request.params['uid']);
  if (model === undefined) throw notFoundError(kind === 'type' ? 'contentType.notFound' : 'component.notFound');
  return model;
}

async function showType(model: Model, call: PanelCall): Promise<Answer> {
  const contentType = { uid: model.uid, ...(await viewOf(model, call)) };
  return answerData({ contentType, components: await componentsOf(model, call) });
}

async function showComponent(model: Model, call: PanelCall) {
  const [category] = model.uid.split('.');
  return { uid: model.uid, category, ...(await viewOf(model, call)), isComponent: true };
}

/** Returns the components that an entry of a model may contain, at any depth, by uid. */
async function componentsOf(model: Model, call: PanelCall) {
  const components = reachedComponents(model, modelsByUid(call), new Map());
  const shown = await Promise.all([...components.values()].map((component) => showComponent(component, call)));
  return Object.fromEntries(shown.map((component) => [component.uid, component]));
}

function reachedComponents(
  model: Model,
  models: ReadonlyMap<string, Model>,
  found: Map<string, Model>,
): ReadonlyMap<string, Model> {
  for (const { component, components: parts = [] } of Object.values(model.attributes))
    for (const uid of [...(component === undefined ? [] : [component]), ...parts]) {
      const reached = models.get(uid);
      if (reached === undefined || found.has(uid)) continue;
      found.set(uid, reached);
      reachedComponents(reached, models, found);
    }
  return found;
}

async function typeView(call: PanelCall): Promise<Answer> {
  return showType(find(call, 'type'), call);
}

async function componentView(call: PanelCall): Promise<Answer> {
  const model = find(call, 'component');
  return answerData({ component: await showComponent(model, call), components: await componentsOf(model, call) });
}

async function changeTypeView(call: PanelCall): Promise<Answer> {
  const model = find(call, 'type');
  const kind = model.kind === 'singleType' ? 'single-types' : 'collection-types';
  if (!may(call.rights, `plugin::content-manager.${kind}.configure-view`)) throw forbiddenError();
  await change(model, call);
  return showType(model, call);
}

async function changeComponentView(call: PanelCall): Promise<Answer> {
  const model = find(call, 'component');
  await change(model, call);
  return answerData(await showComponent(model, call));
}

/** Changes the given parts. Settings that are not given stay, and those that there are not are left out. */
async function change(model: Model, call: PanelCall): Promise<void> {
  const changed = await checkView(model, bodyOf(call.request));
  const current = await viewOf(model, call);
  const known = Object.entries(changed.settings ?? {}).filter(([name]) => name in current.settings);
  const settings = { ...current.settings, ...Object.fromEntries(known) };
  await writeView(model, { ...current, ...changed, settings }, call.content.store.database);
}
