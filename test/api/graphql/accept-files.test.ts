import { expect } from 'chai';
import { buildSchema } from 'graphql';
import { createConfig } from '#settings/create-config.js';
import { createFileCheck } from '#api/graphql/endpoint/accept-files.js';
import { createDocuments } from '#api/graphql/endpoint/documents.js';
import { graphqlSettings } from '#api/graphql/endpoint/graphql-settings.js';

describe('createFileCheck', () => {
  const config = createConfig({});
  const { find } = createDocuments(graphqlSettings(config.plugins.graphql.config, config));
  const check = createFileCheck({ schema: buildSchema('type Query { a: Int }'), checkField: () => undefined, find });
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);

  for (const name of ['query', 'operationName'])
    it(`refuses a ${name} that is deeply nested with a 400`, () => {
      const fields = new Map([
        ['operations', [`{"variables":{"file":null},"${name}":${deep}}`]],
        ['map', ['{"0":["variables.file"]}']],
      ]);
      expect(() => {
        check('0', fields);
      })
        .to.throw('Files are accepted only for variables of type Upload of a mutation')
        .with.property('status', 400);
    });
});
