import type { Logger } from 'pino';
import type { Observation, ObservationKind, ObservationOf, Work } from './observation.js';
import type { Consumer } from './observer.js';

interface LogOptions {
  /** How requests are logged: as fields, as a line such as `GET /api/recipes 200 24 ms`, or not at all. */
  readonly requests: 'fields' | 'text' | 'none';
}

/** A line of the log. */
type Line = readonly [level: 'debug' | 'info' | 'warn' | 'error', details: object, message: string];

/** Returns the consumer that writes observations to a log. Kinds without a row are not logged. */
export function logObservations(logger: Logger, { requests }: LogOptions): Consumer {
  const written: Rows = {
    ...rows,
    ...(requests !== 'none' && logger.isLevelEnabled('info') && requestRows[requests]),
    ...(logger.isLevelEnabled('debug') && readRows),
  };
  const write =
    (row: (seen: never) => Line | null) =>
    (observation: Observation): void => {
      const line = row(observation as never); // rows are called with observations of their kind
      if (line !== null) logger[line[0]](line[1], line[2]);
    };
  return Object.fromEntries(Object.entries(written).map(([kind, row]) => [kind, write(row)]));
}

type Rows = { readonly [Kind in ObservationKind]?: (observation: ObservationOf<Kind>) => Line | null };

const rows: Rows = {
  'request failed': ({ requestId, method, path, err }) => ['error', { requestId, method, path, err }, 'request failed'],
  'answer not sent': ({ err }) => ['debug', { err }, 'answer not sent'],
  'job ended': ({ err, failure }) => (err === null || failure === null ? null : ['warn', { err }, failure]),
  failed: ({ work, about, err }) => [failures[work][0], { ...about, err }, failures[work][1]],
  warned: ({ text, about = {} }) => ['warn', about, text],
  'rights lacking': ({ status, missing, text }) => ['info', { status, missing }, text],
  'start postponed': ({ reason }) => ['warn', { reason }, 'the database could not be opened, trying again'],
  'database lost': ({ err }) => [
    'warn',
    { err },
    'MongoDB is not available: no server accepts writes, requests wait and are then answered by 503',
  ],
  'database found': () => ['info', {}, 'MongoDB is available again'],
  'engine lost': ({ err }) => ['warn', { err }, 'the search engine does not answer: MongoDB searches'],
  'engine found': () => ['info', {}, 'the search engine answers again'],
  'model refused': ({ uid, text }) => ['warn', { uid }, text],
  'entries unfit': ({ uid, attribute, entries, problem }) => [
    'warn',
    { uid, attribute, entries },
    problem === 'null'
      ? `${uid}: ${attribute} is required now, and null in stored entries`
      : `${uid}: ${attribute} has stored values that do not fit, and are read as null`,
  ],
  'index refused': ({ uid, text }) => ['warn', { uid }, text],
  'uploads swept': ({ deleted, left }) => ['warn', { deleted, left }, 'remains of interrupted uploads'],
  'request slow': ({ kind, ...line }) => ['warn', line, kind],
  'webhook attempted': ({ webhook, result, ms, status }) =>
    result === 'failed' ? ['warn', { webhook, ms, status }, 'an event was not delivered to a webhook, after all attempts'] : null,
  'schema postponed': ({ reason }) => ['info', { reason }, 'the GraphQL schema waits for content types'],
  'mail failed': ({ text, about = {} }) => ['error', about, text],
  'mail delayed': ({ text, about = {} }) => ['warn', about, text],
  'mail withheld': ({ text, about = {} }) => ['warn', about, text],
  'mail written': ({ text }) => ['info', {}, text],
  'code warned': ({ text, err }) => ['warn', err === undefined ? {} : { err }, text],
  'code failed': ({ text, err }) => ['error', { err }, text],
};

/** One line per page of a list. */
const readRows: Rows = { 'page read': ({ way, type, ms }) => ['debug', { way, type, ms }, 'page read'] };

/** One line per request. Health checks are logged at level debug. */
const requestRows: Readonly<Record<Exclude<LogOptions['requests'], 'none'>, Pick<Rows, 'request ended'>>> = {
  fields: {
    'request ended': ({ requestId, method, path, status, ms, ip, isAborted }) => {
      const line = { requestId, method, path, status, ms, ip };
      return [levelOf(path), isAborted ? { ...line, aborted: true } : line, 'request'];
    },
  },
  text: {
    'request ended': ({ method, path, status, ms, isAborted }) => {
      const text = `${method} ${path} ${String(status)} ${ms.toFixed(0)} ms`;
      return [levelOf(path), {}, isAborted ? `${text}, aborted` : text];
    },
  },
};

const levelOf = (path: string): 'debug' | 'info' => (path.startsWith('/_health') ? 'debug' : 'info');

/** What the log says about work that has failed. */
const failures: Readonly<Record<Work, readonly [level: 'warn' | 'error', text: string]>> = {
  bootstrap: ['error', 'bootstrap failed'],
  destroy: ['error', 'destroy failed'],
  'index check': ['warn', 'indexes could not be checked'],
  'index build': ['warn', 'indexes could not be built'],
  'index state': ['warn', 'the state of indexes could not be written'],
  'schema state': ['warn', 'the state of the GraphQL schema could not be stored'],
  'model state': ['warn', 'the state of the models could not be written to _model_status'],
  'model load': ['warn', 'models could not be loaded, the former ones remain in force for now'],
  'required count': ['warn', 'entries that lack required values could not be counted'],
  'search build': ['warn', 'search indexes could not be built'],
  schedule: ['warn', 'an entry cannot be published or unpublished at its time; set another time to try again'],
  release: ['warn', 'a release cannot be carried out at its time; change it to try again, or publish it by hand'],
  'entry event': ['error', 'code that hears of a written entry has failed; the entry is stored'],
  'webhook delivery': ['warn', 'deliveries to webhooks could not be read or stored, trying again'],
  'unused indexes': ['warn', 'unused indexes could not be looked for'],
  'graphql request': ['error', 'GraphQL request failed'],
  'graphql schema': ['error', 'the GraphQL schema could not be built; the previous one, if there is one, stays in use'],
  'graphql files': ['warn', 'the files of the GraphQL schema could not be written'],
  sync: ['error', 'a stream of changes has failed'],
  agents: ['error', 'a message of an agent has failed'],
  'preview handler': ['error', 'the function admin.preview.config.handler has failed'],
  previews: ['error', 'a page that shows a draft could not be told of changes'],
  'upload provider': ['error', 'the upload provider does not work: files cannot be uploaded'],
  'hosted file': ['warn', 'a deleted file stays at the service of the upload provider'],
  'cors origin': ['warn', 'the function cors.origin has failed; no origin is allowed'],
};
