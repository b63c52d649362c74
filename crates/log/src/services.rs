//! Services: what one noun keeps in memory that is no projection of the log, such as a cache of its own or
//! permits, for functions that have only the state. The state keeps them without knowing their names.

use std::any::Any;

/// A service of one noun.
pub type Service = Box<dyn Any + Send + Sync>;

/// Makes the services of nouns when the log is opened.
pub type NewServices = fn() -> Vec<Service>;

/// The services of the nouns that the server names.
pub struct Services(Vec<Service>);

impl Services {
    /// Returns new services.
    pub(super) fn new(services: NewServices) -> Self {
        Self(services())
    }

    /// Returns the service of this type. The server names few, so they are compared one after the other.
    pub fn get<S: Any>(&self) -> &S {
        let Some(service) = self.0.iter().find_map(|service| service.downcast_ref()) else {
            unreachable!("the server names all services")
        };
        service
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_each_service_by_its_type() {
        let services = Services::new(|| vec![Box::new(1_u8), Box::new("one"), Box::new(2_u16)]);
        assert_eq!((*services.get::<u16>(), *services.get::<u8>()), (2, 1));
        assert_eq!(*services.get::<&str>(), "one");
    }
}
