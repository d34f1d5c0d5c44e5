import { freeFrom, madeUid } from '../../content/generate-uids.js';
import { forbiddenError, validationError } from '../../errors.js';
import type { Answer } from '../../http/route.js';
import { bodyOf } from '../../http/route-request.js';
import type { ContentType, ScalarAttribute } from '../../schema/content-type.js';
import { isRecord } from '../../values.js';
import { checkPanelBody, mixed, object, string } from '../check-body.js';
import { answerData, needing, type PanelCall } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import { permissionsFor } from '../rights/rights.js';
import { typeOf } from './read-routes.js';

/** The routes that forms ask while a uid is typed. */
export const uidRoutes = needing('logged in', {
  'POST /content-manager/uid/generate': generate,
  'POST /content-manager/uid/check-availability': checkAvailability,
});

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
}

/**
 * Returns the type and the uid that a body names. Throws a ForbiddenError if the administrator may write it neither in new entries nor
 * in stored ones, and a ValidationError if it is no uid.
 */
function uidIn({ contentTypeUID, field }: UidName, call: PanelCall): Uid {
  const { content, request, rights } = call;
  const type = typeOf({ content, request: request.with({ uid: contentTypeUID }, {}) });
  const permissions = ['create', 'update'].flatMap((action) => permissionsFor(rights, `${explorer}.${action}`, type.uid));
  if (!rights.isSuper && permissions.length === 0) throw forbiddenError();
  const attribute = uidOf(type, field);
  if (!rights.isSuper && !permissions.some(({ properties }) => properties.fields?.includes(field) === true))
    throw forbiddenError();
  return { type, attribute };
}

function uidOf({ attributes }: ContentType, name: string): ScalarAttribute {
  const attribute = attributes.get(name);
  if (attribute?.kind === 'scalar' && attribute.type === 'uid') return attribute;
  throw validationError(`${name} must be a valid \`uid\` attribute`);
}

async function generate(call: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(generateBody, bodyOf(call.request));
  const { type, attribute } = uidIn(body, call);
  return answerData(
    await freeIn(await madeUid(type, attribute, isRecord(body.data) ? body.data : {}), { type, attribute }, call),
  );
}

/** Returns a uid that no entry has in any locale. */
const freeIn = (uid: string, { type, attribute }: Uid, { content }: PanelCall): Promise<string> =>
  freeFrom(uid, { type, name: attribute.name, among: {}, attempt: 0 }, content);

async function checkAvailability(call: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(availabilityBody, bodyOf(call.request));
  const free = await freeIn(body.value, uidIn(body, call), call);
  const isAvailable = free === body.value;
  return { body: { isAvailable, suggestion: isAvailable ? null : free } };
}
