import type { Document } from 'mongodb';
import type { AttributeDefinition } from '../../../../src/model/schema/model.js';
import { attributesOf } from '../../models.js';
import { reportToParent } from '../../report-to-parent.js';
import { fillDatabase } from '../fill-database.js';
import { loadPackage } from '../install-peer.js';
import { applicationId, classes, classOf, parseFolder, parseId, toLinks } from './parse.js';

/** Parse Server as it ships, on a database that is filled anew with the data set of a size. */
const [uri = '', database = '', size = ''] = process.argv.slice(2);

interface ParseModule {
  readonly ParseServer: {
    startApp(options: object): Promise<{ readonly server: { address(): { readonly port: number } } }>;
  };
}

const anybody = { '*': true };

/** The attributes of a collection that Parse Server stores: lists from the other side of a relation are in no question. */
const storedOf = (collection: string): readonly Attribute[] =>
  Object.entries(attributesOf(collection)).filter(([, { mappedBy }]) => mappedBy === undefined);

type Attribute = readonly [name: string, definition: AttributeDefinition];

/** The classes, with indexes where the product has some: by relations, by the time of publication, and those of models. */
const definitions = ['authors', 'categories', 'tags', 'articles'].map((collection) => {
  const stored = storedOf(collection);
  const indexed = stored.filter(([, { index, type }]) => index === true || type === 'relation').map(columnOf);
  if (collection === 'articles') indexed.push('publishedAt');
  return {
    className: classOf(collection),
    fields: {
      ...Object.fromEntries(stored.map(([name, definition]) => [name, fieldOf(name, definition)])),
      publishedAt: { type: 'Date' },
    },
    indexes: Object.fromEntries(indexed.map((column) => [column, { [column]: 1 }])),
    classLevelPermissions: { find: anybody, count: anybody, get: anybody, create: anybody, update: anybody },
  };
});

function fieldOf(name: string, { type, relation }: AttributeDefinition): object {
  if (type === 'relation') return relation === 'manyToOne' ? { type: 'Pointer', targetClass: classOf(name) } : { type: 'Array' };
  return { type: type === 'integer' || type === 'decimal' ? 'Number' : 'String' };
}

function columnOf([name, { relation }]: Attribute): string {
  return relation === 'manyToOne' ? `_p_${name}` : name;
}

/** An entry of the data set as Parse Server stores it. */
function toDocument({ _id, createdAt, updatedAt, publishedAt, ...values }: Document, collection: string): Document {
  const columns = storedOf(collection).map((attribute) => [columnOf(attribute), storedValue(attribute, values[attribute[0]])]);
  const times = { _created_at: createdAt as unknown, _updated_at: updatedAt as unknown };
  return { _id: parseId(_id), ...Object.fromEntries(columns), ...times, ...(publishedAt && { publishedAt }) };
}

function storedValue([name, { type, relation }]: Attribute, value: unknown): unknown {
  if (type !== 'relation') return value;
  return relation === 'manyToOne' ? `${classOf(name)}$${parseId(value)}` : toLinks(name, value);
}

await fillDatabase({ uri, database, size, collections: classes, toDocument });
process.env.PARSE_SERVER_LOGS_FOLDER = 'null'; // what it logs while it loads
const { ParseServer } = loadPackage<ParseModule>(parseFolder, 'parse-server');
const { server } = await ParseServer.startApp({
  appId: applicationId,
  masterKey: 'of the benchmark',
  ...{ host: '127.0.0.1', port: 0, mountPath: '/parse', serverURL: 'http://127.0.0.1/parse' },
  databaseURI: uri.replace(/^(mongodb[^/]*:\/\/[^/?]+)\/?[^?]*/, `$1/${database}`),
  ...{ silent: true, logsFolder: null },
  schema: { definitions },
});
reportToParent(`http://127.0.0.1:${String(server.address().port)}`);
