import { ValidationError } from 'yup';
import { ApiError } from '../../errors.js';
import type { Model } from '../../schema/model.js';
import { array, boolean, lazy, mixed, number, object, string } from '../check-body.js';
import { panelAttributes } from './describe-model.js';
import { editable, type ViewConfiguration } from './view-configuration.js';

/** Returns the given parts of a configuration. Throws a BadRequestError whose details list all problems. */
export async function checkView(model: Model, body: unknown): Promise<Partial<ViewConfiguration>> {
  try {
    const checked = await configurationSchema(model).validate(body, { strict: true, abortEarly: false });
    return checked as Partial<ViewConfiguration>; // as the schema says
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new ApiError(400, 'BadRequestError', 'Bad Request', { details: { name: 'validationError', errors: error.errors } });
  }
}

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
        : object(Object.fromEntries(Object.keys(Object(value)).map((name) => [name, object({ edit, list })]))).test(
            'names',
            'metadatas must name attributes of the model',
            (given) => Object.keys(Object(given)).every((name) => names.includes(name)),
          ),
    ),
    layouts: object({
      list: array().of(string().required().oneOf(names)).required(noList),
      edit: array()
        .of(
          array().of(object({ name: string().required().oneOf(editable(attributes)), size: number().integer().min(1).max(12) })),
        )
        .required(noList),
    }).default(undefined),
  });
}
