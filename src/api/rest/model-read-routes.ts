import { notFoundError, validationError } from '#base/errors.js';
import { listOf, record, text, type Schema } from '#http/json-schema.js';
import { answers, parameter, type Operation } from '#http/operation.js';
import { parameterOf } from '#http/route-request.js';
import { type Answer, type Route, type RouteCall, rowsOf } from '#http/route.js';
import { describeComponent, describeType } from '#model/schema/describe-model.js';
import type { Model } from '#model/schema/model.js';

const describedType = record({ uid: text, plugin: text, apiID: text, schema: { type: 'object' } }, ['uid', 'apiID', 'schema']);
const describedPart = record({ uid: text, category: text, apiId: text, schema: { type: 'object' } });

const operation = (id: string, summary: string, data: Schema): Operation => ({
  id,
  summary,
  tag: 'Models',
  answers: answers(record({ data })),
});

const kinds: Schema = { type: 'string', enum: ['collectionType', 'singleType'] };

const operations = {
  'content-types.getContentTypes': {
    ...operation('findModels', 'List content types', listOf(describedType)),
    query: [parameter('kind', 'Only types of one kind', kinds)],
  },
  'content-types.getContentType': operation('findModel', 'Read a content type', describedType),
  'components.getComponents': operation('findComponents', 'List components', listOf(describedPart)),
  'components.getComponent': operation('findComponent', 'Read a component', describedPart),
};

const row = rowsOf('plugin::content-type-builder', operations);

/** The routes by which client libraries read content types and components. */
export const modelReadRoutes: readonly Route[] = [
  row('GET /content-type-builder/content-types', 'content-types.getContentTypes', (call) =>
    withData(listTypes(call).map(describeType)),
  ),
  row('GET /content-type-builder/content-types/:uid', 'content-types.getContentType', (call) =>
    withData(describeType(find('type', call))),
  ),
  row('GET /content-type-builder/components', 'components.getComponents', (call) =>
    withData(ofKind('component', call).map(describeComponent)),
  ),
  row('GET /content-type-builder/components/:uid', 'components.getComponent', (call) =>
    withData(describeComponent(find('component', call))),
  ),
];

const withData = (data: object): Answer => ({ body: { data } });

type Kind = 'type' | 'component';

const kindOf = ({ kind }: Model): Kind => (kind === undefined ? 'component' : 'type');

const ofKind = (kind: Kind, { running }: RouteCall): Model[] =>
  [...running.backend.models.inForce().models.values()].filter(
    (model) => kindOf(model) === kind && !model.uid.startsWith('admin::'),
  );

/** Returns all content types, or those of one kind (`?kind=`). Throws a ValidationError for an unknown kind. */
function listTypes(call: RouteCall): Model[] {
  const [all, kind] = [ofKind('type', call), parameterOf(call.request, 'kind')];
  if (kind === undefined) return all;
  if (kind !== 'collectionType' && kind !== 'singleType')
    throw validationError('kind must be one of the following values: collectionType, singleType');
  return all.filter((model) => model.kind === kind);
}

function find(kind: Kind, call: RouteCall): Model {
  const model = ofKind(kind, call).find(({ uid }) => uid === call.request.params['uid']);
  if (model === undefined) throw notFoundError(kind === 'type' ? 'contentType.notFound' : 'component.notFound');
  return model;
}
