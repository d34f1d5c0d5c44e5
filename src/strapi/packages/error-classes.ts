import {
  ApplicationError,
  ForbiddenError,
  NotFoundError,
  PolicyError,
  UnauthorizedError,
  ValidationError,
} from '#base/errors.js';
import type { Values } from '#base/values.js';
import { YupValidationError } from './project-yup.js';

/** Returns an error class of Strapi v4 with its status and default message. */
const errorClass = (status: number, name: string, text: string) =>
  class extends ApplicationError {
    override readonly status = status;
    override readonly name = name;

    constructor(message = text, details: Values = {}) {
      super(message, details);
    }
  };

/** `errors` of @strapi/utils. */
export const errorClasses = {
  ApplicationError,
  ForbiddenError,
  HttpError: errorClass(400, 'HttpError', 'An error occurred'),
  NotFoundError,
  NotImplementedError: errorClass(501, 'NotImplementedError', 'This feature is not implemented yet'),
  PaginationError: errorClass(400, 'PaginationError', 'Invalid pagination'),
  PayloadTooLargeError: errorClass(413, 'PayloadTooLargeError', 'Entity too large'),
  PolicyError,
  RateLimitError: errorClass(429, 'RateLimitError', 'Too many requests, please try again later.'),
  UnauthorizedError,
  ValidationError,
  YupValidationError,
};
