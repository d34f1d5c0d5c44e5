import { applicationError, fieldErrors, validationError } from '#base/errors.js';
import { withDatabase, type ContentContext } from '#content/content-context.js';
import type { Answer } from '#http/route.js';
import { mediaOf } from '#http/running.js';
import { prepareFile } from '#media/prepare-file.js';
import { retireFile } from '#media/retire-files.js';
import { Staging, type UploadedFile } from '#media/staging.js';
import type { Media } from '#media/media.js';
import { blobRecords } from '#store/stores/blob-store.js';
import { logosKey, openCodeStore } from '#store/stores/code-store.js';
import { afterCommit, inTransaction } from '#store/send/transaction.js';
import { isRecord, type Values } from '#base/values.js';
import type { PanelCall, PanelRoutes } from '../panel-route.js';

/** The routes of the logos of the panel. */
export const projectSettingsRoutes: PanelRoutes = {
  'GET /admin/project-settings': { right: 'admin::project-settings.read', handle: read },
  'POST /admin/project-settings': { right: 'admin::project-settings.update', handle: change },
};

const names = ['menuLogo', 'authLogo'] as const;

/** The logos by name; null for the ones of the panel itself. */
type Logos = Readonly<Record<(typeof names)[number], Values | null>>;

/** Throws a ValidationError unless a value has the form of stored logos. */
export function checkLogos(value: unknown): void {
  for (const name of names) {
    const logo = isRecord(value) ? (value[name] ?? null) : undefined;
    if (logo !== null && !(isRecord(logo) && typeof logo['url'] === 'string'))
      throw validationError(`${name} must be null, or an object with a url`);
  }
}

/** Reads the stored logos. */
export async function readLogos({ store }: Pick<ContentContext, 'store'>): Promise<Logos> {
  const stored = await openCodeStore(store.database).get(logosKey);
  const logo = (name: keyof Logos): Values | null =>
    isRecord(stored) && isRecord(stored[name]) && typeof stored[name]['url'] === 'string' ? stored[name] : null;
  return { menuLogo: logo('menuLogo'), authLogo: logo('authLogo') };
}

const shown = (logos: Logos) => Object.fromEntries(names.map((name) => [name, shownLogo(logos[name])]));

const shownLogo = (logo: Values | null) =>
  logo === null
    ? null
    : Object.fromEntries(['name', 'url', 'width', 'height', 'ext', 'size'].map((name) => [name, logo[name] ?? null]));

async function read({ content }: PanelCall): Promise<Answer> {
  return { body: shown(await readLogos(content)) };
}

/** Replaces the logos that the request has as files, and removes those that it has as empty fields. */
async function change({ content, running, request }: PanelCall): Promise<Answer> {
  const media = mediaOf(running);
  const staging = new Staging(media, content.store.database.time);
  try {
    if (request.readMultipart === null) throw applicationError('The logos must be sent as multipart/form-data');
    const { files, fields } = await request.readMultipart(staging, media.settings);
    const given = names.map((name) => [name, files.find(({ field }) => field === name)?.file ?? null] as const);
    const removed = names.filter((name) => fields.get(name)?.[0] === '');
    const made = new Map<keyof Logos, Logo>();
    for (const [name, file] of given) if (file !== null) made.set(name, await makeLogo(name, file, { media, staging }));
    const logos = await storeLogos({ logos: made, removed, media }, content);
    staging.keep([...made.values()].flatMap(({ staged }) => staged.slice(0, 1)));
    return { body: shown(logos) };
  } finally {
    await staging.discard();
  }
}

type Logo = Awaited<ReturnType<typeof makeLogo>>;

const types: readonly string[] = ['image/jpeg', 'image/png', 'image/svg+xml'];

/** Largest logo in bytes, and longest side in pixels, as in Strapi v4. */
const largest = { bytes: 1_048_576, side: 750 };

/** Returns a logo with its bytes. Throws a ValidationError for another type than the allowed ones, or a large image. */
async function makeLogo(name: string, file: UploadedFile, context: { readonly media: Media; readonly staging: Staging }) {
  const refuse = (part: string, message: string) => fieldErrors([{ path: [name, part], message: `${name}.${part} ${message}` }]);
  if (file.size > largest.bytes) throw refuse('size', `must be less than or equal to ${String(largest.bytes)}`);
  const { values, ...bytes } = await prepareFile(file, {}, context);
  if (!types.includes(values.mime)) throw refuse('type', `must be one of the following values: ${types.join(', ')}`);
  for (const side of ['width', 'height'] as const)
    if ((values[side] ?? 0) > largest.side) throw refuse(side, `must be less than or equal to ${String(largest.side)}`);
  return { ...bytes, values: { ...values, formats: null } }; // its variants are not kept
}

interface LogoChange {
  readonly logos: ReadonlyMap<keyof Logos, Logo>;
  readonly removed: readonly (keyof Logos)[];
  readonly media: Media;
}

/** Stores logos, and deletes the bytes of those that they replace. */
const storeLogos = ({ logos: made, removed, media }: LogoChange, content: ContentContext): Promise<Logos> =>
  inTransaction(content.store.database, async (database) => {
    const before = await readLogos(withDatabase(content, database));
    const next = (name: keyof Logos) => made.get(name)?.values ?? (removed.includes(name) ? null : before[name]);
    const logos = Object.fromEntries(names.map((name) => [name, next(name)])) as unknown as Logos; // the same names
    await blobRecords.publish(
      database,
      [...made.values()].flatMap(({ blobs }) => blobs.slice(0, 1)),
    );
    await openCodeStore(database).set(logosKey, logos);
    for (const name of names) {
      const old = before[name];
      if (old !== null && logos[name] !== old) await afterCommit(database, await retireFile(old, media, database));
    }
    return logos;
  });
