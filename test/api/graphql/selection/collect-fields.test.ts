import { expect } from 'chai';
import { buildSchema, type FieldNode, type FragmentDefinitionNode, Kind, parse } from 'graphql';
import { argumentsOf, childKey, collectFields, type Operation } from '#api/graphql/selection/collect-fields.js';

const schema = buildSchema(`
  interface Named { name: String }
  type Dog implements Named { name: String, age: Int, friends(first: Int = 3, by: String): [Dog] }
  type Cat implements Named { name: String, lives: Int }
  union Pet = Dog | Cat
  type Query { pet: Pet }
`);

/** The nodes of the root field, and what belongs to the operation around them. */
function read(text: string, variableValues: Readonly<Record<string, unknown>>): [FieldNode[], Operation] {
  const { definitions } = parse(text);
  const fragments: Record<string, FragmentDefinitionNode> = {};
  const nodes: FieldNode[] = [];
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
    else if (definition.kind === Kind.OPERATION_DEFINITION)
      nodes.push(...definition.selectionSet.selections.filter((node) => node.kind === Kind.FIELD));
  return [nodes, { schema, fragments, variableValues: { ...variableValues } }];
}

describe('collectFields', () => {
  /** The fields of a dog by response key, with the number of their nodes. */
  const cases: Readonly<Record<string, readonly [query: string, expected: object]>> = {
    'fields and aliases': ['{ pet { name other: name age } }', { name: 1, other: 1, age: 1 }],
    'the same field twice': ['{ pet { name name } }', { name: 2 }],
    'nodes of the same root field': ['{ pet { name } pet { age name } }', { name: 2, age: 1 }],
    'fragments on the type, an interface and a union': [
      '{ pet { ...on Dog { age } ...on Named { name } ...on Pet { __typename } ... { friends { name } } } }',
      { age: 1, name: 1, __typename: 1, friends: 1 },
    ],
    'no fragments on other types': ['{ pet { ...on Cat { lives } ...C name } } fragment C on Cat { lives }', { name: 1 }],
    'a named fragment once, and those that it uses': [
      '{ pet { ...A ...A ...B } } fragment A on Dog { name ...B } fragment B on Dog { age ...A }',
      { name: 1, age: 1 },
    ],
    'no fragment that is not there': ['{ pet { ...Missing name } }', { name: 1 }],
    'what @skip and @include leave': [
      `query ($yes: Boolean!, $no: Boolean!) { pet {
         name @skip(if: $yes) age @skip(if: $no) a: name @include(if: $no) b: name @include(if: $yes)
         c: name @include(if: true) @skip(if: true) ...on Dog @include(if: $no) { friends { name } } } }`,
      { age: 1, b: 1 },
    ],
  };
  for (const [name, [query, expected]] of Object.entries(cases))
    it(`returns ${name}`, () => {
      const [nodes, operation] = read(query, { yes: true, no: false });
      const fields = collectFields(nodes, 'Dog', operation);
      expect(Object.fromEntries([...fields].map(([key, { length }]) => [key, length]))).to.deep.equal(expected);
    });
});

describe('argumentsOf', () => {
  const cases: readonly (readonly [field: string, expected: object])[] = [
    ['friends { name }', { first: 3 }],
    ['friends(first: 1, by: $text) { name }', { first: 1, by: 'x' }],
    ['friends(first: null, by: $absent) { name }', { first: null }],
    ['nothing(first: 1)', {}],
  ];
  for (const [field, expected] of cases)
    it(`${field}: ${JSON.stringify(expected)}`, () => {
      const [nodes, operation] = read(`query ($text: String, $absent: String) { pet { ${field} } }`, { text: 'x' });
      const [[node] = []] = collectFields(nodes, 'Dog', operation).values();
      expect(node && argumentsOf(node, 'Dog', operation)).to.deep.equal(expected);
    });
});

describe('childKey', () => {
  const cases: readonly (readonly [name: string, around: readonly string[], alias: string, expected: string])[] = [
    ['tags', ['data', 'attributes'], 'tags', 'tags'],
    ['tags', [], 'tags', 'tags'],
    ['tags', ['data', 'attributes'], 'labels', 'data:attributes:labels:tags'],
    ['tags', ['data', 'values'], 'tags', 'data:values:tags:tags'],
    ['tags', [], 'labels', 'labels:tags'],
  ];
  for (const [name, around, alias, expected] of cases)
    it(`${[...around, alias].join('.')} of ${name}: ${expected}`, () => {
      expect(childKey(name, around, alias)).to.equal(expected);
    });
});
