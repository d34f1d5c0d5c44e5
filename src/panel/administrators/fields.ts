import { string } from '../check-body.js';

/** Characters of the longest name; as many as a column of Strapi v4 holds. */
const longest = 255;

/** The fields of administrators in bodies, with the rules and messages of Strapi v4. */
export const fields = {
  email: () => string().email().lowercase(),
  firstname: () => string().min(1).max(longest),
  lastname: () => string().max(longest).nullable(),
  username: () => string().max(longest).nullable(),
  preferedLanguage: () => string().max(longest).nullable(),
  password: () =>
    string()
      .min(8)
      .matches(/[a-z]/, '${path} must contain at least one lowercase character')
      .matches(/[A-Z]/, '${path} must contain at least one uppercase character')
      .matches(/\d/, '${path} must contain at least one number')
      .test('bytes', '${path} must have at most 72 bytes', (value) => Buffer.byteLength(value ?? '') <= 72),
} as const;
