#include <pthread.h>
#include "_cgo_export.h"

static void *run(void *unused) {
	for (int i = 0; i < 10; i++)
		called();
	return 0;
}

void calls_by_threads(int n) {
	pthread_t threads[64];
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], 0, run, 0);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], 0);
}

void calls_here(int n) {
	for (int i = 0; i < n; i++)
		called();
}
