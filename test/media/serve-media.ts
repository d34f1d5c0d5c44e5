import type { Media } from '#media/media.js';
import type { Service } from '#operate/service/service.js';
import type { PartialConfig } from '#settings/create-config.js';
import type { Register } from '#api/graphql/extension/create-extension.js';

import type { FreshDatabase } from '../support/mongo.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  readonly body: any;
}

/** A file of a form. */
export interface FormFile {
  readonly field?: string;
  readonly name: string;
  readonly type?: string;
  readonly bytes: Uint8Array | string;
}

export interface MediaServer {
  readonly url: string;
  readonly database: FreshDatabase;
  readonly server: Service;
  readonly media: Media;
  send(method: string, path: string, body?: object): Promise<Answered>;
  /** Sends a form; to the upload route unless another is named. */
  upload(files: readonly FormFile[], fields?: Readonly<Record<string, string>>, route?: string): Promise<Answered>;
  /** What there is of stored files: names, chunks, and what is pending. */
  stored(): Promise<{ readonly names: string[]; readonly chunks: number; readonly pending: number }>;
  readonly countCommands: Serving['countCommands'];
  stop(): Promise<void>;
}

const shot: TestModel = {
  uid: 'shared.shot',
  collectionName: 'components_shared_shots',
  info: { displayName: 'Shot' },
  attributes: { label: { type: 'string' }, image: { type: 'media', multiple: false } },
};

const story: TestModel = {
  uid: 'api::story.story',
  kind: 'collectionType',
  collectionName: 'stories',
  info: { singularName: 'story', pluralName: 'stories', displayName: 'Story' },
  options: { draftAndPublish: false },
  attributes: {
    title: { type: 'string', required: true },
    slug: { type: 'string', unique: true },
    cover: { type: 'media', multiple: false },
    picture: { type: 'media', allowedTypes: ['images', 'videos'] },
    gallery: { type: 'media', multiple: true },
    before: { type: 'relation', relation: 'manyToOne', target: 'api::story.story' },
    notes: { type: 'relation', relation: 'manyToMany', target: 'plugin::upload.file' },
    folder: { type: 'relation', relation: 'manyToOne', target: 'plugin::upload.folder' },
    shot: { type: 'component', component: 'shared.shot' },
    shots: { type: 'component', component: 'shared.shot', repeatable: true },
    blocks: { type: 'dynamiczone', components: ['shared.shot'] },
  },
};

type UploadConfig = NonNullable<NonNullable<PartialConfig['plugins']>['upload']>;

interface MediaInput {
  readonly uses?: FreshDatabase;
  readonly register?: Register;
  /** The directory of a Strapi project. */
  readonly project?: string;
}

/** The whole service on a database of its own, with stories that have media everywhere. */
export async function serveMedia(upload: UploadConfig = {}, { uses, register, project }: MediaInput = {}): Promise<MediaServer> {
  const serving = await serveModels({
    models: [shot, story],
    config: { plugins: { upload, 'users-permissions': { enabled: false } }, ...(project && { directory: project }) },
    ...(project && { project }),
    ...(uses && { database: uses }),
    ...(register && { register }),
  });
  const { database, server, countCommands, stop } = serving;
  const { media } = server;
  if (media === null) throw new Error('the test database did not answer');
  const url = server.url.replace('localhost', '127.0.0.1');
  const send = sender(url);
  return {
    url,
    database,
    server,
    media,
    send: (method, path, body) =>
      send(method, path, body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    upload: (files, fields = {}, route = 'POST /api/upload') => {
      const [method = '', path = ''] = route.split(' ');
      return send(method, path, { body: formOf(files, fields) });
    },
    stored: () => storedIn(database),
    countCommands,
    stop,
  };
}

const sender =
  (url: string) =>
  async (method: string, path: string, init: RequestInit = {}): Promise<Answered> => {
    const response = await fetch(url + path, { method, ...init });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };

/** Fields come first, as GraphQL demands. */
export function formOf(files: readonly FormFile[], fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const { field = 'files', name, type = '', bytes } of files) form.append(field, new Blob([bytes], { type }), name);
  return form;
}

export async function storedIn({ db }: FreshDatabase) {
  const blobs = await db.collection('uploads.files').find().toArray();
  return {
    names: blobs.flatMap(({ filename }) => (typeof filename === 'string' ? [filename] : [])),
    chunks: await db.collection('uploads.chunks').countDocuments(),
    pending: blobs.filter(({ pending }) => pending !== undefined).length,
  };
}
