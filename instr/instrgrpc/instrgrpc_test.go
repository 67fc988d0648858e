package instrgrpc_test

import (
	"context"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"pfsd/instr"
	"pfsd/instr/instrgrpc"
)

const trace = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"

// health answers depending on the service's name in the request, and waits for a lock meanwhile.
type health struct {
	grpc_health_v1.UnimplementedHealthServer
	lock *instr.Mutex
}

func (h *health) Check(_ context.Context, r *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	h.lock.Lock()
	defer h.lock.Unlock()
	switch r.Service {
	case "internal":
		return nil, status.Error(codes.Internal, "broken")
	case "unknown":
		return nil, status.Error(codes.NotFound, "no such service")
	}
	return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_SERVING}, nil
}

func (h *health) Watch(_ *grpc_health_v1.HealthCheckRequest, to grpc.ServerStreamingServer[grpc_health_v1.HealthCheckResponse]) error {
	for range 3 {
		if err := to.Send(&grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_SERVING}); err != nil {
			return err
		}
	}
	return nil
}

// start serves health, and returns a client of it.
func start(t *testing.T, reg *instr.Registry, opts ...instrgrpc.Option) (grpc_health_v1.HealthClient, *grpc.ClientConn, func()) {
	opts = append(opts, instrgrpc.WithRegistry(reg))
	l := bufconn.Listen(1 << 16)
	server := grpc.NewServer(grpc.StatsHandler(instrgrpc.NewServerHandler(opts...)))
	grpc_health_v1.RegisterHealthServer(server, &health{lock: reg.NewMutex("test/lock")})
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(l) })
	conn, err := grpc.NewClient("passthrough:test", grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithStatsHandler(instrgrpc.NewClientHandler(opts...)),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	return grpc_health_v1.NewHealthClient(conn), conn, func() {
		_ = conn.Close()
		server.GracefulStop()
		done.Wait()
	}
}

func watched() *instr.Registry {
	reg := instr.NewRegistry()
	for c := range instr.ConsumerCount {
		reg.Setup().SetConsumer(c, true)
	}
	reg.Setup().AddPattern("%", instr.PatternOn)
	return reg
}

// find returns the statements of this name.
func find(reg *instr.Registry, name string) (found []instr.StatementEvent) {
	for _, e := range reg.Reader().StatementsHistoryLong() {
		if e.Class.Name() == name {
			found = append(found, e)
		}
	}
	return found
}

func TestCalls(t *testing.T) {
	reg := watched()
	client, conn, stop := start(t, reg)
	ctx := metadata.AppendToOutgoingContext(context.Background(), "traceparent", trace)
	for _, service := range []string{"", "internal", "unknown"} {
		_, _ = client.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: service})
	}
	if err := conn.Invoke(ctx, "/no.Service/Method", &grpc_health_v1.HealthCheckRequest{}, &grpc_health_v1.HealthCheckResponse{}); status.Code(err) != codes.Unimplemented {
		t.Fatal(err)
	}
	stream, err := client.Watch(ctx, &grpc_health_v1.HealthCheckRequest{Service: "x"})
	for n := 0; err == nil; n++ {
		if _, err = stream.Recv(); err != nil && n != 3 {
			t.Errorf("%d messages, then %v", n, err)
		}
	}
	stop()

	for _, side := range []struct {
		name   string
		errors []int
	}{{"statement/grpc/", []int{0, int(codes.Internal), 0}}, {"statement/grpc.client/", []int{0, int(codes.Internal), int(codes.NotFound)}}} {
		calls := find(reg, side.name+"grpc.health.v1.Health/Check")
		if len(calls) != len(side.errors) {
			t.Fatalf("%s: %d calls", side.name, len(calls))
		}
		for i, c := range calls {
			if c.Errno != side.errors[i] || (c.Counters[instr.Errors] == 1) != (c.Errno != 0) {
				t.Errorf("%s call %d: errno %d, %d errors, %q", side.name, i, c.Errno, c.Counters[instr.Errors], c.Message)
			}
			if want := "grpc.health.v1.Health/Check /*traceparent='" + trace + "'*/"; c.SQLText != want {
				t.Errorf("%s call %d: text %q", side.name, i, c.SQLText)
			}
			in, out := c.Counters[instr.RowsExamined], c.Counters[instr.RowsSent]
			if (i == 0) != (in > 0 && out > 0) {
				t.Errorf("%s call %d: %d bytes in, %d out", side.name, i, in, out)
			}
		}
		streams := find(reg, side.name+"grpc.health.v1.Health/Watch")
		if len(streams) != 1 || streams[0].Errno != 0 || streams[0].Counters[instr.RowsExamined] == 0 || streams[0].Counters[instr.RowsSent] == 0 {
			t.Errorf("%s: streams %+v", side.name, streams)
		}
	}
	if calls := find(reg, "statement/grpc/no.Service/Method"); len(calls) != 0 {
		t.Errorf("a method that the client has made up has %d calls", len(calls))
	}
	if calls := find(reg, "statement/grpc.client/no.Service/Method"); len(calls) != 1 || calls[0].Errno != int(codes.Unimplemented) {
		t.Errorf("the client's call of an unknown method: %+v", calls)
	}

	// The wait for the lock is part of the call.
	served := map[uint64]bool{}
	for _, c := range find(reg, "statement/grpc/grpc.health.v1.Health/Check") {
		served[c.ID] = true
	}
	locks := 0
	waits := make([]instr.WaitEvent, 64)
	for c := reg.Reader().WaitsHistoryLong(); ; {
		n := c.Next(waits)
		if n == 0 {
			break
		}
		for _, e := range waits[:n] {
			if strings.HasSuffix(e.Class.Name(), "test/lock") && e.NestingType == instr.NestingStatement && served[e.NestingID] {
				locks++
			}
		}
	}
	if locks != 3 && instr.HasThreadLookup {
		t.Errorf("%d waits for the lock are part of calls, want 3", locks)
	}
}

func TestFilterAndOff(t *testing.T) {
	reg := watched()
	client, _, stop := start(t, reg, instrgrpc.WithFilter(nil))
	_, _ = client.Check(context.Background(), &grpc_health_v1.HealthCheckRequest{})
	// The client has its answer before the server ends the call.
	for len(find(reg, "statement/grpc/grpc.health.v1.Health/Check")) == 0 && t.Context().Err() == nil {
		runtime.Gosched()
	}
	reg.Setup().SetConsumer(instr.ConsumerGlobalInstrumentation, false)
	if _, err := client.Check(context.Background(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
		t.Error(err)
	}
	stop()
	if n := len(find(reg, "statement/grpc/grpc.health.v1.Health/Check")); n != 1 {
		t.Errorf("%d calls, want that before all was off", n)
	}
}

// Method names that clients invent, and many methods, take little memory.
func TestManyMethods(t *testing.T) {
	reg := watched()
	_, conn, stop := start(t, reg)
	for i := range 150 {
		_ = conn.Invoke(context.Background(), "/a.B/M"+strings.Repeat("x", i)+"//\xff", &grpc_health_v1.HealthCheckRequest{}, &grpc_health_v1.HealthCheckResponse{})
	}
	stop()
	served, sent := 0, 0
	for _, c := range reg.Reader().FamilyClasses(instr.FamilyStatements) {
		if strings.HasPrefix(c.Name(), "statement/grpc/") {
			served++
		}
		if strings.HasPrefix(c.Name(), "statement/grpc.client/") {
			sent++
		}
	}
	if served != 1 || sent > 101 {
		t.Errorf("%d instruments of the server, %d of the client", served, sent)
	}
}
