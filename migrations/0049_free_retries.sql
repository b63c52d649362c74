-- Another run of a question no longer counts as another question: it is not the visitor's fault that the last one failed.
alter table guide_message drop column is_paid;
