import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  buildSchema as buildFromText,
  GraphQLSchema,
  isInputObjectType,
  isObjectType,
  isUnionType,
  lexicographicSortSchema,
  printType,
  validateSchema,
} from 'graphql';
import type { GraphQLNamedType } from 'graphql';
import { buildSchema } from '#api/graphql/endpoint/build-schema.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { withPlugins } from './services.js';

const fixture = (name: string): string => readFileSync(new URL(`../../fixtures/graphql/${name}`, import.meta.url), 'utf8');

const generate = (models: readonly { uid: string }[]): Promise<GraphQLSchema> => {
  const { registry, problems } = buildRegistry(models);
  expect([...problems]).to.deep.equal([]);
  return buildSchema(registry, withPlugins);
};

/** One line per type, field with its arguments, input field, enum value and union member. */
function linesOf(schema: GraphQLSchema): string[] {
  const types = Object.values(lexicographicSortSchema(schema).getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  return types.flatMap(typeLines).sort();
}

function typeLines(type: GraphQLNamedType): string[] {
  const [head = '', ...lines] = printType(type)
    .replace(/"""[^]*?"""\n?/g, '')
    .replace(/ @specifiedBy.*/, '') // an introspected schema, as one of the fixtures is, does not tell it
    .split('\n');
  if (isUnionType(type)) return [head];
  const inside = lines.map((line) => line.trim()).filter((line) => line !== '' && line !== '}');
  return isObjectType(type) || isInputObjectType(type) || inside.length > 0
    ? [head.replace(' {', ''), ...inside.map((line) => `${type.name}.${line}`)]
    : [head];
}

const descriptionsOf = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => [
      `${type.name}: ${type.description ?? ''}`,
      ...(isObjectType(type)
        ? Object.values(type.getFields()).map((field) => `${type.name}.${field.name}: ${field.description ?? ''}`)
        : []),
    ])
    .filter((line) => !line.endsWith(': '));

/** The documented differences: timestamps in inputs; users may delete themselves; no password in any output. */
function isDecided(line: string, hidden: readonly string[]): boolean {
  return /^\w+Input\.(createdAt|updatedAt): DateTime$/.test(line) || line === own || hidden.includes(line);
}

const own = 'Mutation.deleteMe: UsersPermissionsMe';

const cases = [
  { name: 'conformance', hidden: ['Article.passcode: String', 'Product.pin: String'] },
  { name: 'example', hidden: ['Article.accessPassword: String'] },
];

for (const { name, hidden } of cases) {
  describe(`GraphQL schema of the ${name} models`, () => {
    let schema: GraphQLSchema;
    let reference: GraphQLSchema;

    before(async () => {
      reference = buildFromText(fixture(`${name}.graphql`));
      schema = await generate(JSON.parse(fixture(`${name}-models.json`)) as { uid: string }[]);
    });

    it('has everything that Strapi v4 has, except for documented differences', () => {
      const own = new Set(linesOf(schema));
      const missing = linesOf(reference).filter((line) => !own.has(line));
      expect(missing.filter((line) => !isDecided(line, hidden))).to.deep.equal([]);
      expect(missing).to.include.members(hidden);
    });

    it('has nothing that Strapi v4 lacks, except for documented differences', () => {
      const known = new Set(linesOf(reference));
      const added = linesOf(schema).filter((line) => !known.has(line));
      expect(added.filter((line) => !isDecided(line, []))).to.deep.equal([]);
      expect(added).to.include('ArticleInput.createdAt: DateTime');
    });

    it('keeps the order of fields', () => {
      for (const type of Object.values(reference.getTypeMap())) {
        const own = schema.getType(type.name);
        if (!(isObjectType(type) || isInputObjectType(type)) || !(isObjectType(own) || isInputObjectType(own))) continue;
        if (type.name.startsWith('__') || type.name === 'Query' || type.name === 'Mutation') continue;
        const names = Object.keys(type.getFields());
        const shared = Object.keys(own.getFields()).filter((field) => names.includes(field));
        expect(shared, type.name).to.deep.equal(names.filter((field) => shared.includes(field)));
      }
    });

    it('has the descriptions of Strapi v4', () => {
      expect(descriptionsOf(schema)).to.include.members(descriptionsOf(reference));
    });

    it('leaves none of its names to a model', async () => {
      const models = JSON.parse(fixture(`${name}-models.json`)) as { uid: string }[];
      const options = { accounts: { refreshTokens: true }, upload: true };
      const full = await buildSchema(buildRegistry(models).registry, options);
      const names = Object.keys(full.getTypeMap()).filter((type) => !type.startsWith('__'));
      const probes = names.map((enumName, index) => ({
        uid: `probe.the-longest-of-all-uids-in-these-models-${String(index)}`,
        info: { displayName: enumName },
        attributes: { value: { type: 'enumeration', enum: ['a'], enumName } },
      }));
      const { warnings } = buildRegistry([...models, ...probes]);
      const free = names.filter((type, index) => {
        const [warning] = warnings.get(`probe.the-longest-of-all-uids-in-these-models-${String(index)}`) ?? [];
        return warning?.text.startsWith(`is left out of GraphQL: GraphQL type ${type} is taken by `) !== true;
      });
      expect(free).to.deep.equal([]);
    });

    it('is valid', () => {
      // it is assumed valid at run time, which switches this check off
      const checked = new GraphQLSchema({ ...schema.toConfig(), assumeValid: false });
      expect(validateSchema(checked)).to.deep.equal([]);
    });
  });
}
