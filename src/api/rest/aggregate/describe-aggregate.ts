import { answers, type Describe, type Operation, parameter, type QueryParameter } from '#http/operation.js';
import { anything, flag, listOf, record, integer } from '#http/json-schema.js';
import { functionNames } from '#model/query/aggregate/aggregation.js';
import { unitNames } from '#model/query/aggregate/buckets.js';
import type { ContentType } from '#model/schema/content-type.js';
import { pascalCase } from '#model/schema/names.js';

const anyObject = { type: 'object', additionalProperties: true };
const byAttribute = { type: 'object', additionalProperties: { type: ['number', 'string', 'null'] } };

/** Returns a parameter that is an object: `name[key]=value`. */
const nested = (name: string, description: string, example: object): QueryParameter => ({
  ...{ name, description, example, schema: anyObject },
  ...{ style: 'deepObject', explode: true },
});

const parameters: readonly QueryParameter[] = [
  nested('aggregate', `Functions (${functionNames.join(', ')}) of attributes; entries are counted if there is none`, {
    count: '*',
  }),
  parameter('groupBy', `At most three attributes; a date may be followed by ${unitNames}: publishedAt:month`),
  nested('having', 'Conditions on groups', {}),
  parameter('sort', 'Functions, such as count:desc or avg.rating, and keys'),
  nested('pagination', 'Pages, or a start and a limit', { page: 1, pageSize: 10 }),
  parameter('timezone', 'The time zone of parts of dates; UTC unless given'),
];

const figures = Object.fromEntries(functionNames.filter((name) => name !== 'count').map((name) => [name, byAttribute]));
const group = record({ group: { type: 'object', additionalProperties: anything }, count: integer, ...figures }, ['group']);
const answer: Operation['answers'] = answers(
  record({ data: listOf(group), meta: record({ pagination: anyObject, truncated: flag }, ['pagination']) }),
  'A page of groups',
);

/** Describes the groups of a type. */
export const describeAggregate =
  (type: ContentType): Describe =>
  (schemas) => ({
    id: `aggregate${pascalCase(type.pluralName)}`,
    summary: `Count, sum and group entries of ${type.displayName}`,
    tag: type.displayName,
    query: [...schemas.parameters(type.uid, 'count'), ...parameters],
    answers: answer,
  });
