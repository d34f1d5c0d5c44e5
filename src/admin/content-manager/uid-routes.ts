import { freeFrom, madeUid } from '#content/generate-uids.js';
import { forbiddenError, validationError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { bodyOf } from '#http/route-request.js';
import type { ContentType, ScalarAttribute } from '#model/schema/content-type.js';
import { is } from '#store/form/matches.js';
import { findFirst } from '#store/stored.js';
import { isRecord, type Values } from '#base/values.js';
import { checkPanelBody, mixed, object, string } from '../check-body.js';
import { parametersOf } from '../panel-query.js';
import { answerData, needing, type PanelCall } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import { permissionsFor } from '../rights/rights.js';
import { typeOf } from './read-routes.js';

/** The routes that forms ask while a uid is typed. */
export const uidRoutes = needing(
  'logged in',
  {
    'POST /content-manager/uid/generate': generate,
    'POST /content-manager/uid/check-availability': checkAvailability,
  },
  'nothing',
);

const place = { contentTypeUID: string().required(), field: string().required() };
const isObject = (value: unknown): boolean => value === undefined || isRecord(value);
const generateBody = object({ ...place, data: mixed().test('object', '${path} must be an object', isObject).required() });
const availabilityBody = object({
  ...place,
  value: string()
    .required()
    .max(1_000)
    .matches(/^[A-Za-z0-9-_.~]*$/),
});

interface UidName {
  readonly contentTypeUID: string;
  readonly field: string;
}

interface Uid {
  readonly type: ContentType;
  readonly attribute: ScalarAttribute;
  /** The locale in which the uid must be free; null if the type has no locales, or the request names none. */
  readonly locale: string | null;
}

/**
 * Returns the type and the uid that a body names. Throws a ForbiddenError if the administrator may write it neither in new entries nor
 * in stored ones, and a ValidationError if there is no such type, or it is no uid. `values` may name the locale, as the parameters may.
 */
function uidIn({ contentTypeUID, field }: UidName, values: Values, call: PanelCall): Uid {
  const { content, request, rights } = call;
  if (!content.bind.registry.types.has(contentTypeUID)) throw validationError('ContentType not found');
  const type = typeOf({ content, request: request.with({ uid: contentTypeUID }, {}) });
  const permissions = ['create', 'update'].flatMap((action) => permissionsFor(rights, `${explorer}.${action}`, type.uid));
  if (!rights.isSuper && permissions.length === 0) throw forbiddenError();
  const attribute = uidOf(type, field);
  if (!rights.isSuper && !permissions.some(({ properties }) => properties.fields?.includes(field) === true))
    throw forbiddenError();
  const named = [values['locale'], parametersOf(call)['locale']].find((code) => content.bind.locales.includes(String(code)));
  return { type, attribute, locale: type.localized && typeof named === 'string' ? named : null };
}

function uidOf({ attributes }: ContentType, name: string): ScalarAttribute {
  const attribute = attributes.get(name);
  if (attribute?.kind === 'scalar' && attribute.type === 'uid') return attribute;
  throw validationError(`${name} must be a valid \`uid\` attribute`);
}

async function generate(call: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(generateBody, bodyOf(call.request));
  const data = isRecord(body.data) ? body.data : {};
  const uid = uidIn(body, data, call);
  const { type, attribute } = uid;
  const made = await madeUid(type, attribute, data);
  const free = await freeIn(made, uid, call);
  if (free !== made || isNamed(attribute, data) || !(await isPartOfOne(made, uid, call))) return answerData(free);
  return answerData(await freeIn(`${made}-1`, uid, call));
}

const isNamed = ({ targetField }: ScalarAttribute, data: Values): boolean =>
  targetField !== null && (data[targetField] ?? '') !== '';

/** Returns whether the uid of an entry contains a text. The name of a type is then offered with a number, as by Strapi v4. */
async function isPartOfOne(text: string, { type, attribute, locale }: Uid, { content }: PanelCall): Promise<boolean> {
  const match = { [attribute.name]: is.containing(text), ...(locale !== null && { locale }) };
  return (await findFirst(content.store.database, type.collection, match)) !== null;
}

/** Returns a uid that no entry has in the locale; in any locale if the request names none. */
const freeIn = (uid: string, { type, attribute, locale }: Uid, { content }: PanelCall): Promise<string> =>
  freeFrom(uid, { type, name: attribute.name, among: locale === null ? {} : { locale }, attempt: 0 }, content);

async function checkAvailability(call: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(availabilityBody, bodyOf(call.request));
  const free = await freeIn(body.value, uidIn(body, bodyOf(call.request), call), call);
  const isAvailable = free === body.value;
  return { body: { isAvailable, suggestion: isAvailable ? null : free } };
}
