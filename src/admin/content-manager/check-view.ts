import { ValidationError } from 'yup';
import { ApiError } from '#base/errors.js';
import type { Model } from '#model/schema/model.js';
import { isRecord, itemsOf } from '#base/values.js';
import { array, boolean, lazy, mixed, number, object, string } from '../check-body.js';
import { panelAttributes } from './describe-model.js';
import { editable, type ViewConfiguration } from './view-configuration.js';

/**
 * Returns the given parts of a configuration. Throws a BadRequestError whose details list all problems, but only the first one if it
 * names more than a model has.
 */
export async function checkView(model: Model, body: unknown): Promise<Partial<ViewConfiguration>> {
  const problem = excessOf(Object.keys(panelAttributes(model)), body);
  if (problem !== null) throw refused([problem]);
  try {
    const checked = await configurationSchema(model).validate(body, { strict: true, abortEarly: false });
    return checked as Partial<ViewConfiguration>; // as the schema says
  } catch (error) {
    throw error instanceof ValidationError ? refused(error.errors) : error;
  }
}

/**
 * Returns the problem of a configuration that has more names than the model has attributes. This is checked first, because each wrong name
 * takes time.
 */
function excessOf(names: readonly string[], body: unknown): string | null {
  const { metadatas, layouts } = isRecord(body) ? body : {};
  if (Object.keys(Object(metadatas)).some((name) => !names.includes(name))) return 'metadatas must name attributes of the model';
  const { list, edit } = isRecord(layouts) ? layouts : {};
  const rows = itemsOf(edit).map((row) => itemsOf(row).length);
  if (itemsOf(list).length > names.length) return 'layouts.list must name an attribute only once';
  const fields = rows.reduce((sum, length) => sum + Math.max(length, 1), 0);
  return fields > 2 * names.length ? 'layouts.edit must name an attribute only once' : null;
}

const refused = (errors: readonly string[]): ApiError =>
  new ApiError(400, 'BadRequestError', 'Bad Request', { details: { name: 'validationError', errors } });

const noList = '${path} is required and must be an array'; // yup puts the path in

function configurationSchema(model: Model) {
  const attributes = panelAttributes(model);
  const names = Object.keys(attributes);
  const label = () => string().nullable();
  const texts = { label: label(), description: label(), placeholder: label() };
  const edit = object({ ...texts, editable: boolean(), visible: boolean() })
    .default(undefined)
    .required();
  const list = object({ label: label(), searchable: boolean(), sortable: boolean() }).default(undefined).required();
  return object({
    settings: object({
      ...{ bulkable: boolean(), filterable: boolean(), searchable: boolean() },
      pageSize: number().integer().min(10).max(100),
      mainField: string().oneOf(names),
      defaultSortBy: string().oneOf(names),
      defaultSortOrder: string().oneOf(['ASC', 'DESC']),
    }).default(undefined),
    metadatas: lazy((value: unknown) =>
      value === undefined
        ? mixed()
        : object(Object.fromEntries(Object.keys(Object(value)).map((name) => [name, object({ edit, list })]))),
    ),
    layouts: object({
      list: array().of(string().required().oneOf(names)).required(noList),
      edit: array()
        .of(array().of(object({ name: string().required().oneOf(editable(model)), size: number().integer().min(1).max(12) })))
        .required(noList),
    }).default(undefined),
  });
}
