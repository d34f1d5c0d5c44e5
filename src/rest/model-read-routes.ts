import { notFoundError, validationError } from '../errors.js';
import { parameterOf } from '../http/route-request.js';
import type { Route } from '../http/route.js';
import type { Backend } from '../mongo/models/open-backend.js';
import type { ActionName } from '../query/access.js';
import { describeComponent, describeType } from '../schema/describe-model.js';
import type { Model } from '../schema/model.js';

const action = (name: string): ActionName => `plugin::content-type-builder.${name}`;

/** The routes by which client libraries read content types and components. */
export const modelReadRoutes: readonly Route[] = [
  route('/content-types', 'content-types.getContentTypes', (backend, { kind }) => listTypes(backend, kind).map(describeType)),
  route('/content-types/:uid', 'content-types.getContentType', (backend, { uid }) => describeType(find(backend, 'type', uid))),
  route('/components', 'components.getComponents', (backend) => ofKind(backend, 'component').map(describeComponent)),
  route('/components/:uid', 'components.getComponent', (backend, { uid }) => describeComponent(find(backend, 'component', uid))),
];

/** Returns the `data` of an answer. */
type Read = (backend: Backend, asked: Asked) => unknown;

interface Asked {
  /** Uid in the path. */
  readonly uid: string;
  /** The parameter `kind`. */
  readonly kind: unknown;
}

function route(path: string, name: string, read: Read): Route {
  return {
    method: 'GET',
    path: `/content-type-builder${path}`,
    action: action(name),
    handle: ({ request, running }) => {
      const asked = { uid: request.params['uid'] ?? '', kind: parameterOf(request, 'kind') };
      return { body: { data: read(running.backend, asked) } };
    },
  };
}

type Kind = 'type' | 'component';

const kindOf = ({ kind }: Model): Kind => (kind === undefined ? 'component' : 'type');

const ofKind = ({ models }: Backend, kind: Kind): Model[] =>
  [...models.inForce().models.values()].filter((model) => kindOf(model) === kind && !model.uid.startsWith('admin::'));

/** Returns all content types, or those of one kind (`?kind=`). Throws a ValidationError for an unknown kind. */
function listTypes(backend: Backend, kind: unknown): Model[] {
  const all = ofKind(backend, 'type');
  if (kind === undefined) return all;
  if (kind !== 'collectionType' && kind !== 'singleType')
    throw validationError('kind must be one of the following values: collectionType, singleType');
  return all.filter((model) => model.kind === kind);
}

function find(backend: Backend, kind: Kind, uid: string): Model {
  const model = ofKind(backend, kind).find((candidate) => candidate.uid === uid);
  if (model === undefined) throw notFoundError(kind === 'type' ? 'contentType.notFound' : 'component.notFound');
  return model;
}
