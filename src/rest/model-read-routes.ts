import { notFoundError } from '../errors.js';
import type { Backend } from '../mongo/open-backend.js';
import type { Model } from '../schema/model.js';
import type { PluginRoute } from './plugin-routes.js';

const action = (name: string): string => `plugin::content-type-builder.${name}`;

/** Content types and components as client libraries read them (rest.md 13.7). */
export const modelReadRoutes = (backend: () => Backend): PluginRoute[] => [
  route('/content-types', 'content-types.getContentTypes', () => ofKind(backend(), 'type').map(describeType)),
  route('/content-types/:uid', 'content-types.getContentType', (uid) => describeType(find(backend(), 'type', uid))),
  route('/components', 'components.getComponents', () => ofKind(backend(), 'component').map(describeComponent)),
  route('/components/:uid', 'components.getComponent', (uid) => describeComponent(find(backend(), 'component', uid))),
];

function route(path: string, name: string, read: (uid: string) => unknown): PluginRoute {
  return {
    method: 'GET',
    path: `/content-type-builder${path}`,
    demand: action(name),
    handle: ({ ctx, params }) => {
      ctx.body = { data: read(params['uid'] ?? '') };
    },
  };
}

type Kind = 'type' | 'component';

const kindOf = ({ kind }: Model): Kind => (kind === undefined ? 'component' : 'type');

const ofKind = ({ models }: Backend, kind: Kind): Model[] =>
  [...models.models().values()].filter((model) => kindOf(model) === kind && !model.uid.startsWith('admin::'));

function find(backend: Backend, kind: Kind, uid: string): Model {
  const model = ofKind(backend, kind).find((candidate) => candidate.uid === uid);
  if (model === undefined) throw notFoundError(kind === 'type' ? 'contentType.notFound' : 'component.notFound');
  return model;
}

function describeType(model: Model): object {
  const { uid, kind, info, options, pluginOptions = {}, collectionName } = model;
  const [origin = '', rest = ''] = uid.split('::');
  return {
    uid,
    ...(origin === 'plugin' && { plugin: rest.split('.')[0] }),
    apiID: rest.split('.')[1] ?? rest,
    schema: {
      ...options,
      draftAndPublish: options?.draftAndPublish === true,
      displayName: info.displayName ?? info.singularName ?? uid,
      singularName: info.singularName,
      pluralName: info.pluralName,
      description: info.description ?? '',
      pluginOptions,
      kind,
      collectionName,
      attributes: model.attributes,
      visible: origin === 'api' || uid === 'plugin::users-permissions.user',
      restrictRelationsTo: null,
    },
  };
}

function describeComponent({ uid, info, collectionName, attributes }: Model): object {
  return {
    uid,
    category: uid.split('.')[0],
    apiId: uid.split('.')[1],
    schema: {
      displayName: info.displayName ?? uid,
      icon: info.icon ?? null,
      description: info.description ?? '',
      collectionName: collectionName ?? null,
      attributes,
    },
  };
}
