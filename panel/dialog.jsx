import { useIntl } from 'react-intl';
import { Button, ModalBody, ModalFooter, ModalHeader, ModalLayout, Typography } from '@strapi/design-system';
import { label } from './texts.js';

/** A dialog with a title, a button that closes it, and perhaps another one. Texts are named; `id` is that of the title in the page. */
export function Dialog({ id, title, close, onClose, action, children }) {
  const { formatMessage } = useIntl();
  return (
    <ModalLayout onClose={onClose} labelledBy={id}>
      <ModalHeader>
        <Typography fontWeight="bold" as="h2" id={id}>
          {formatMessage(label(title))}
        </Typography>
      </ModalHeader>
      <ModalBody>{children}</ModalBody>
      <ModalFooter
        startActions={
          <Button variant="tertiary" onClick={onClose}>
            {formatMessage(label(close))}
          </Button>
        }
        endActions={action}
      />
    </ModalLayout>
  );
}
